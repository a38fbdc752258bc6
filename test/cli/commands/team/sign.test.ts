import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPLOAD_PATH } from '../../../../functions/auth/signature.ts';
import { folderOf, LOG, world } from '../../../setup/world.ts';

const work = await world().served();

type Vector = Record<'name' | 'secret' | 'timestamp' | 'bodyBase64' | 'signature', string>;
const vectors: Vector[] = JSON.parse(readFileSync(new URL('../../../vectors/signature.json', import.meta.url), 'utf8'));

test.each(vectors.slice(0, 3))(
  'the headers of the vector $name, without the passphrase',
  async ({ secret, timestamp, bodyBase64, signature }) => {
    const body = Buffer.from(bodyBase64, 'base64');
    const cwd = folderOf();
    writeFileSync(join(cwd, 'log.json'), body);
    const team = { uid: '1', accessKey: 'ailog_key', secret, passphrase: 'not to be shown' };
    expect(await work.run(team, ['sign', 'log.json', '--timestamp', timestamp], { cwd })).toEqual({
      exitCode: 0,
      stdout: `ACCESS-KEY: ailog_key
ACCESS-SIGN: ${signature}
ACCESS-TIMESTAMP: ${timestamp}
locale: en-US
Content-Type: application/json
`,
      stderr: `Signed: ${timestamp}POST${UPLOAD_PATH} and the ${body.length} bytes of log.json. The signature is valid for 30 s.
ACCESS-PASSPHRASE is not shown. Add it yourself.
`,
    });
  },
);

test('the headers and the passphrase upload the log', async () => {
  const team = await work.team();
  const { stdout } = await work.run(team, ['sign', '-', '--json'], { input: LOG });
  const headers = { ...JSON.parse(stdout), 'ACCESS-PASSPHRASE': team.passphrase };
  const response = await fetch(work.service + UPLOAD_PATH, { method: 'POST', headers, body: LOG });
  expect(await response.json()).toMatchObject({ code: '00000' });
});
