import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openPublicLogServer } from '../../proof/inclusion/publicLogServer.ts';

/** A bundle more than `ailog verify` reads for one entry. */
const BUNDLES = 2049;

test('whether a log keeps its promise is open if it is too large to search, and has no hints', async () => {
  const server = await openPublicLogServer();
  onTestFinished(server.close);
  const receivedAt = Math.floor((Date.now() - 5 * HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const { receipt } = await server.entry(receivedAt);
  await server.publish(Array.from({ length: BUNDLES }, () => entriesOf(256)).flat());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'log.note'), receipt);
  writeFileSync(join(folder, 'tlog.policy'), server.policy);
  const { exitCode, stdout } = await runCommand(['verify', 'log.note', '--log', server.url], { cwd: folder });
  const says = /^NO PROOF .*\n(.*\n)*.* too many to search without its hints\n$/;
  expect([exitCode, stdout]).toEqual([5, expect.stringMatching(says)]);
});
