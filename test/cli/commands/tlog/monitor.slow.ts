import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { openPublicLogServer } from '../../proof/inclusion/publicLogServer.ts';

test('--every looks again until Ctrl-C, also after a log that did not answer', async () => {
  const [server, folder] = [await openPublicLogServer(), temporaryFolder()];
  writeFileSync(join(folder, 'tlog.policy'), server.policy);
  await server.publish(entriesOf(3));
  let looks = 0;
  const stop = new AbortController();
  server.state.intercept = (path, response) => {
    if (path === 'checkpoint') looks += 1;
    if (looks === 3) stop.abort();
    return looks === 1 && !!response.writeHead(503).end();
  };
  const args = ['tlog', 'monitor', server.url, '--state', 'seen', '--every', '10s'];
  const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder, signal: stop.signal });
  expect(stderr).toMatch(/^\S+Z UNREACHABLE .*HTTP 503\./);
  expect([exitCode, stdout]).toEqual([130, expect.stringMatching(/^\S+Z ok .*first look.*\n$/)]);
  server.close();
});
