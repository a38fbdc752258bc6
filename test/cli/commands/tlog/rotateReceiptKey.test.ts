import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { readTimeout } from '../../../../cli/store/targets/openedTarget.ts';
import { readReceiptKeys } from '../../../../functions/receipts/signingKey.ts';
import type { ReceiptKeys } from '../../../../functions/tlog/tlogTable.ts';
import { openLogFixture } from '../../../sequencer/logFixture.ts';
import { openLocalData } from '../../../setup/commandLine.ts';
import { startFaultProxy } from '../../../setup/faults.ts';
import { notes } from '../../../setup/outcome.ts';

const local = await openLocalData();
afterAll(() => local.engine.stop());
const log = await openLogFixture(local.fixture);

const rotate = (args: readonly string[] = [], options = {}) =>
  local.ailog(['tlog', 'rotate-receipt-key', ...args], options);
const read = async () =>
  (await readReceiptKeys(local.fixture.db, local.fixture.names.tlog, readTimeout())) as ReceiptKeys;
/** Runs the sequencer, now. */
const sequence = () => log.run({ now: Date.now });

test('asks, and changes nothing without an answer and with --dry-run', async () => {
  const before = await read();
  expect(await rotate(['--dry-run', '--yes'])).toMatchObject({ exitCode: 0 });
  const unasked = await rotate();
  expect(unasked.exitCode).toBe(2);
  expect(unasked.stderr).toContain('Replace the receipt key of the local data? The new key signs in 1 d.');
  expect(await rotate([], { types: ['n'] })).toMatchObject({ exitCode: 1 });
  expect(await read()).toEqual(before);
});

test('requests a key, which the sequencer makes; a second request can only let it start earlier', async () => {
  const { current } = await read();
  const { stdout, ...ran } = await rotate(['--overlap', '2d', '--yes', '--json']);
  expect(ran).toEqual({ exitCode: 0, stderr: '' });
  const { currentKey, signsFrom } = JSON.parse(stdout);
  expect(currentKey).toBe(current.verifierKey);
  expect((await read()).requested).toMatchObject({
    by: expect.stringMatching(/^local:/),
    startsAt: Date.parse(signsFrom),
  });

  expect(await rotate(['--overlap', '2d', '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: `A rotation is under way already: its key signs from ${signsFrom.slice(0, 19)}Z on.\nTo let it sign at once: --overlap 0\n`,
  });
  await sequence();
  const asked = await rotate(['--overlap', '0'], { types: ['y'] });
  expect(asked).toMatchObject({ exitCode: 0 });
  expect(asked.stderr).toContain('A rotation of the receipt key of the local data is under way.');
  await sequence();
  expect((await read()).previous.map(({ verifierKey }) => verifierKey)).toEqual([current.verifierKey]);
});

test('a change of the keys while it asks is not overwritten', async () => {
  const meanwhile = async () => {
    await rotate(['--yes']);
    return 'y';
  };
  expect(await rotate([], { types: [meanwhile] })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The receipt keys have changed meanwhile. Nothing was written.'),
  });
});

test('an answer that is lost for good says that nobody knows', async () => {
  const proxy = await startFaultProxy(local.engine.endpoint);
  await sequence();
  proxy.planWrites(...Array(5).fill('break before'));
  const { exitCode, stderr } = await rotate(['--overlap', '1h', '--yes'], { env: { DYNAMODB_ENDPOINT: proxy.url } });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: 'The request may have been stored or not.\nRun the command again: it says if a rotation is under way.\n',
  });
  proxy.close();
});

test('before the first key there is nothing to rotate', async () => {
  const { db, names } = local.fixture;
  await db.send(new DeleteCommand({ TableName: names.tlog, Key: { id: 'receipt-keys' } }));
  expect(await rotate(['--yes'])).toMatchObject(notes(1, 'There is no receipt key in the local data yet.'));
});
