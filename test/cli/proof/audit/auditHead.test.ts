import { expect, test } from 'vitest';
import { type Audit, openAuditData } from '../../../../cli/proof/audit/auditData.ts';
import { auditHead } from '../../../../cli/proof/audit/auditHead.ts';
import { Findings } from '../../../../cli/proof/audit/findings.ts';
import type { TlogFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT } from '../../../../functions/c2sp/hashing.ts';
import { signNote } from '../../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { stagingPath } from '../../../../functions/tlog/paths.ts';
import type { Head } from '../../../../functions/tlog/tlogTable.ts';
import { newSigner } from '../../../c2sp/keys.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

const NOW = 1_763_112_660_000;
const rootOf = (size: number) => (size === 0 ? EMPTY_ROOT : Buffer.alloc(32, size));

/** The state of a log of six entries, whose checkpoints had 3, 5 and 6. The newest is a minute old. */
const head: Head = {
  id: 'head',
  version: 9,
  claim: 'c',
  writtenAt: NOW - MINUTE_MS,
  size: 6,
  root: rootOf(6),
  fromSize: 5,
  fromRoot: rootOf(5),
  cursor: NOW - 2 * MINUTE_MS,
  looked: NOW - 3 * MINUTE_MS,
  retentionDays: 0,
  keys: [
    { key: 'k', index: 0, size: 3 },
    { key: 'l', index: 1, size: 3 },
  ],
  marks: [
    { cursor: NOW - 30 * MINUTE_MS, size: 0 },
    { cursor: NOW - 20 * MINUTE_MS, size: 3 },
    { cursor: NOW - 10 * MINUTE_MS, size: 5 },
  ],
};

const signer = newSigner('o');
const policy = parsePolicy(`log ${formatVerifierKey(signer.key)}\nquorum none\n`);
const staged = stagingPath({ fromSize: 6, size: 9, root: rootOf(9) });
const files: TlogFiles = {
  location: 'here',
  list: async function* () {},
  async read(path) {
    const size = Number(path.slice('checkpoints/'.length));
    const text = formatCheckpoint({ origin: 'o', size, root: rootOf(size) });
    return Buffer.from(await signNote(text, [signer], AbortSignal.timeout(1000)));
  },
  modifiedAt: async (path) => (path === staged ? NOW : undefined),
};

/** Compares a head with the files of the log. @returns the problems, and the number of entries that are claimed */
async function problemsOf(change: Record<string, unknown>, storedAt = NOW - MINUTE_MS) {
  const data = await openAuditData();
  for (const size of [3, 5, 6]) {
    const stored_at = size === 6 ? storedAt : NOW - 2 * MINUTE_MS;
    await data.file({ kind: 'checkpoint', path: `checkpoints/${size}`, position: size, stored_at });
  }
  const findings = new Findings();
  const changed = Object.entries({ ...head, ...change }).filter(([, value]) => value !== undefined);
  const items = { head: Object.fromEntries(changed), receiptKeys: undefined };
  const newest = { origin: 'o', size: 6, root: rootOf(6) };
  const audit = { files, policy, data, report: findings.report } as unknown as Audit;
  const claimed = await auditHead(items, newest, NOW, audit);
  data.engine.close();
  const problems = findings.of('head').map(({ problem }) => problem.replace('The head in the Tlog table: ', ''));
  return { problems, claimed };
}

test('a head that follows from the files of the log has no problem', async () => {
  expect(await problemsOf({})).toEqual({ problems: [], claimed: 0 });
});

const cursors = (...times: number[]) => head.marks.map((mark, at) => ({ ...mark, cursor: times[at] }));
const sizes = (...counts: number[]) => head.marks.map((mark, at) => ({ ...mark, size: counts[at] }));

// biome-ignore format: one case a line
test.each<[name: string, change: Record<string, unknown>, problems: string[]]>([
  ['written a minute ahead of the clock', { writtenAt: NOW + MINUTE_MS }, []],
  ['written further ahead', { writtenAt: NOW + MINUTE_MS + 1 }, ['it was written in the future.']],
  ['a cursor as late as the write', { cursor: NOW - MINUTE_MS }, []],
  ['a later cursor', { cursor: NOW - MINUTE_MS + 1 }, ['its cursor is later than the time at which it was written.']],
  ['a look as late as the write', { looked: NOW - MINUTE_MS }, []],
  ['a later look', { looked: NOW - MINUTE_MS + 1 }, ['it looked at entries later than the time at which it was written.']],
  ['a look at entries that are as old as two days', { cursor: NOW - 2 * MINUTE_MS, looked: NOW }, ['it looked at entries later than the time at which it was written.']],
  ['a time to read again from', { readAgainFrom: 5 }, ['a clock was ahead, or somebody says so: the sequencer reads the index again.']],
  ['no marks', { marks: [] }, ['it has no marks.']],
  ['marks of one time and size', { marks: [...head.marks, head.marks.at(-1)] }, []],
  ['a mark that is later than the next', { marks: cursors(5, 4, 6) }, ['mark 1 is later than what follows it.']],
  ['a mark that is larger than the next', { marks: sizes(5, 3, 5) }, ['mark 1 is later than what follows it.']],
  ['a mark that is as large as the head', { marks: sizes(0, 3, 6) }, []],
  ['a mark that is later than the head', { marks: cursors(1, 2, NOW) }, ['mark 3 is later than what follows it.']],
  ['a mark without a checkpoint', { marks: sizes(0, 4, 5) }, ['a mark has the size 4, and there is no checkpoint of that size.']],
  ['a key twice', { keys: [...head.keys, ...head.keys] }, ['a key is there twice.']],
  ['a key whose checkpoint does not contain it', { keys: [{ key: 'k', index: 3, size: 3 }] }, ['keys cannot be read.']],
  ['a key whose checkpoint just contains it', { keys: [{ key: 'k', index: 2, size: 3 }] }, []],
  ['an attribute more', { more: 1 }, ['the service does not write more.']],
  ['no version yet', { version: 0 }, ['version cannot be read.']],
  ['no retention', { retentionDays: undefined }, []],
  ['a root that is cut', { root: Buffer.alloc(31) }, ['root cannot be read.']],
  ['another root', { root: rootOf(7) }, ['its root is not that of the newest checkpoint.']],
  ['another root before', { fromRoot: rootOf(3) }, ['its fromRoot is not the root of the first 5 entries.']],
  ['another size before', { fromSize: 3, fromRoot: rootOf(3) }, ['its fromSize is 3, and the checkpoint before it has the size 5.']],
  ['nothing before', { fromSize: 0, fromRoot: rootOf(0) }, ['its fromSize is 0, and the checkpoint before it has the size 5.']],
  ['rolled back', { size: 5, root: rootOf(5), fromSize: 3, fromRoot: rootOf(3) }, ['its size is 5, and a checkpoint of size 6 was published. It was rolled back.']],
])('%s', async (_name, change, problems) => {
  expect(await problemsOf(change)).toEqual({ problems, claimed: 0 });
});

test('a head that was claimed tells how many entries have no checkpoint yet', async () => {
  const claim = { size: 9, root: rootOf(9), fromSize: 6, fromRoot: rootOf(6) };
  expect(await problemsOf(claim)).toEqual({ problems: [], claimed: 3 });
  const unstaged = 'its size is 9, the newest checkpoint has 6, and no batch is staged for it.';
  expect(await problemsOf({ ...claim, root: rootOf(8) })).toEqual({ problems: [unstaged], claimed: 3 });
  const problem = 'its size is 9, and it does not continue the newest checkpoint, of size 6.';
  for (const other of [{ fromSize: 5, fromRoot: rootOf(5) }, { fromRoot: rootOf(5) }]) {
    expect(await problemsOf({ ...claim, ...other })).toEqual({ problems: [problem], claimed: 3 });
  }
});

test('a head is as old as its checkpoint: two minutes for the clocks and the witnesses', async () => {
  const { writtenAt } = head;
  expect((await problemsOf({}, writtenAt + 2 * MINUTE_MS)).problems).toEqual([]);
  const problem = 'it was written earlier than its checkpoint was stored.';
  expect((await problemsOf({}, writtenAt + 2 * MINUTE_MS + 1)).problems).toEqual([problem]);
});
