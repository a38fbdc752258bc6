import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import backfill from '../../../../cli/commands/data/backfill.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { withTarget } from '../../../../cli/store/targets/target.ts';
import { openIndexer } from '../../../indexer/indexerFixture.ts';
import { localWorld } from '../../../setup/world.ts';

const data = await localWorld().sequenced({ isLive: true });
const { bucket } = await openIndexer();

/** Fills a bucket from the local data, as if these were a deployment. */
async function fill({ dryRun = false, files = bucket } = {}) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const terminal = createTerminal({ env: {}, ...streams, cwd: () => data.folder } as never);
  const remarks: string[] = [];
  let result = {};
  await withTarget(terminal, { local: true }, async (local) => {
    const target = { ...local, openRows: async () => ({ files }) };
    const context = { target, terminal, dryRun, remark: (sentence: string) => remarks.push(sentence) };
    const { plan, apply } = (await backfill.run({} as never, context as never)) as never as {
      plan: object;
      apply?: () => Promise<object>;
    };
    result = dryRun || !apply ? plan : await apply();
  });
  return { exitCode: terminal.exitCode, remarks, ...result };
}

test('leaves without a row get one, what stays without is told, and a bucket that takes no rows is an error', async () => {
  for (const stage of ['a', 'b']) await data.logged({ stage });
  const none = { missing: 2, added: 0, left: 2, poisoned: [] };
  expect(await fill({ dryRun: true })).toMatchObject({ ...none, exitCode: 1, remarks: [] });
  const files = { ...bucket, create: () => Promise.reject(new Error('SlowDown')) };
  await expect(fill({ files })).rejects.toThrow('SlowDown');
  expect(await fill()).toMatchObject({ missing: 2, added: 2, left: 0, poisoned: [], exitCode: 0, remarks: [] });
  expect(await fill()).toMatchObject({ missing: 0, added: 0, left: 0, exitCode: 0, remarks: [] });

  const damaged = await data.logged({ stage: 'c' });
  await data.tamper({ uid: data.owner.uid, entryId: damaged }, { body: Buffer.from('no zstd') });
  const poisoned = [`Entry ${damaged} of UID ${data.owner.uid}: its body cannot be decompressed`];
  expect(await fill()).toMatchObject({ missing: 1, added: 0, left: 1, poisoned, exitCode: 1, remarks: poisoned });

  await data.remove({ uid: data.owner.uid, entryId: await data.logged({ stage: 'd' }) });
  const others = 'The table does not have the others: they have expired, or were edited or removed.';
  expect(await fill()).toMatchObject({ missing: 2, left: 2, exitCode: 1, remarks: [...poisoned, others] });
});
