import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { openPublicLogServer } from '../../proof/inclusion/publicLogServer.ts';

test('a public log that sends a byte at a time: ailog verify ends with exit code 4 after 10 s', async () => {
  const server = await openPublicLogServer();
  const folder = temporaryFolder();
  const { receipt } = await server.entry(Date.now() - 3_600_000);
  writeFileSync(join(folder, 'log.note'), receipt);
  writeFileSync(join(folder, 'tlog.policy'), server.policy);
  server.state.intercept = (path, response) => {
    if (path !== 'checkpoint') return false;
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 100);
    response.once('close', () => clearInterval(timer));
    return true;
  };
  const args = ['log.note', '--log', server.url];
  expect(await runCommand(['verify', ...args], { cwd: folder })).toMatchObject(notes(4, 'it takes longer than 10 s'));
  await server.close();
});
