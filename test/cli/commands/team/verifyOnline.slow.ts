import { expect, onTestFinished, test } from 'vitest';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes, shows } from '../../../setup/outcome.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openPublicLogServer } from '../../proof/inclusion/publicLogServer.ts';
import { folderOf } from './teamFixture.ts';

/** A bundle more than `ailog verify` reads for one entry. */
const BUNDLES = 2049;

/** Opens a public log, which `verify` asks for an entry that it should have. */
async function openLog() {
  const server = await openPublicLogServer();
  onTestFinished(server.close);
  const { receipt } = await server.entry(Math.floor((Date.now() - 5 * HOUR_MS) / MINUTE_MS) * MINUTE_MS);
  const cwd = folderOf({ 'log.note': receipt, 'tlog.policy': server.policy });
  return { server, verify: () => runCommand(['verify', 'log.note', '--log', server.url], { cwd }) };
}

test('a public log that sends a byte at a time: ailog verify ends with exit code 4 after 10 s', async () => {
  const { server, verify } = await openLog();
  server.state.intercept = (path, response) => {
    if (path !== 'checkpoint') return false;
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 100);
    response.once('close', () => clearInterval(timer));
    return true;
  };
  expect(await verify()).toMatchObject(notes(4, 'it takes longer than 10 s'));
});

test('whether a log keeps its promise is open if it is too large to search, and has no hints', async () => {
  const { server, verify } = await openLog();
  await server.publish(Array.from({ length: BUNDLES }, () => entriesOf(256)).flat());
  const says = /^NO PROOF .*\n(.*\n)*.* too many to search without its hints\n$/;
  expect(await verify()).toMatchObject(shows(5, says));
});
