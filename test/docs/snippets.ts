import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { sign } from '../../functions/auth/signature.ts';
import { execute, type Ran } from '../setup/execute.ts';
import { openFixture, type Team } from '../setup/fixture.ts';
import { overHttp } from '../setup/transports.ts';

const DOCUMENT = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');

/** Returns the code block of docs/clients.md with this fence. @throws Error if there is none */
export function snippet(fence: string): string {
  const [, code] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, 'ms').exec(DOCUMENT) ?? [];
  if (code === undefined) throw new Error(`docs/clients.md has no block \`\`\`${fence}`);
  return code;
}

/** Starts the local service and returns a method that runs the programs of the page against it. */
export async function openClients() {
  const fixture = await openFixture();
  const transport = await overHttp(fixture);
  const [, url = ''] = /listening on (\S+)/i.exec(transport.output()) ?? [];

  /** Runs a program as a team, in a new folder. */
  const run = (team: Team, code: string, file: string, command: readonly string[]): Promise<Ran> => {
    const folder = mkdtempSync(join(tmpdir(), 'ailog-client-'));
    writeFileSync(join(folder, file), code);
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      AILOG_URL: url,
      AILOG_ACCESS_KEY: team.accessKey,
      AILOG_SECRET: team.secret,
      AILOG_PASSPHRASE: team.passphrase,
    };
    return execute([...command, file], { env, cwd: folder });
  };

  return {
    close: () => transport.close(),

    /** Expects that a program uploads the log of the page and exits with 0, and exits with 1 if the upload is rejected. */
    async expectUpload(code: string, file: string, command: readonly string[]): Promise<{ body: Buffer; ran: Ran }> {
      const team = await fixture.team();
      const ran = await run(team, code, file, command);
      expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\{"code":"00000",.*\}\r?\n$/) });
      const [entry, ...others] = await fixture.entriesOf(team.uid);
      if (!entry) throw new Error('no entry is stored');
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        orderId: 590480926522704171n,
        stage: 'Decision Making',
        explanation: 'BTC is stronger – 看空 ETH 📉',
      });
      const body = zstdDecompressSync(entry.body);
      expect(sign(team.secret, { timestamp: entry.timestamp, query: '', body })).toBe(entry.signature);

      const stranger = await fixture.team({ status: null });
      const rejected = await run(stranger, code, file, command);
      expect(rejected).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('"code":"40022"') });
      return { body, ran };
    },
  };
}
