import { describe, expect, test } from 'vitest';
import { type AuditData, openAuditData } from '../../../../cli/proof/audit/auditData.ts';
import { checkRow } from '../../../../cli/proof/audit/checkRow.ts';
import { compareTables } from '../../../../cli/proof/audit/compareTables.ts';
import { Findings } from '../../../../cli/proof/audit/findings.ts';
import { type Entry, entryIdOf } from '../../../../functions/ailog/entry.ts';
import { PROMISE_MS } from '../../../../functions/receipts/receiptFormat.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { newEntry } from '../../../sequencer/newEntry.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

/** The time of the first checkpoint, of size 1: the leaf of a retention. */
const BEGAN = 1_763_112_660_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const hashOf = (index: number) => Buffer.alloc(32, index);

interface Log {
  /** The times of the checkpoints of sizes 2, 3 and so on, of one entry each. */
  readonly checkpoints: readonly number[];
  /** The time of receipt of the row of each leaf after the first; undefined: no row has it. */
  readonly rows: readonly (number | undefined)[];
  /** The time of receipt of a row that is not in the log. */
  readonly unlogged?: number;
  /** The time of receipt of an entry that an export has, and neither the table nor the log. */
  readonly exported?: number;
  readonly days?: number;
  readonly now?: number;
  /** False: a copy of the log alone. */
  readonly hasTables?: boolean;
  /** Adds more to the tables. */
  readonly more?: (data: AuditData) => Promise<unknown>;
}

/** Compares a small table with a small log. @returns the kinds of the findings, and counts */
async function compare({
  checkpoints,
  rows,
  unlogged,
  exported,
  days = 0,
  now = BEGAN + DAY_MS,
  hasTables = true,
  more,
}: Log) {
  const data = await openAuditData();
  const file = { kind: 'checkpoint', path: '' };
  for (const [index, at] of [BEGAN, ...checkpoints].entries()) {
    await data.file({ ...file, position: index + 1, stored_at: at });
    await data.leaf({ idx: index, hash: hashOf(index), days: index === 0 ? days : null });
  }
  const expiryOf = (at: number) => (days === 0 ? null : Math.ceil(at / 1000) + days * 86_400);
  const rowOf = (at: number, index: number) => ({
    uid: '1',
    entry_id: `${index}`,
    hash: hashOf(index),
    claimed: null,
    is_indexed: true,
    received_at: at,
    expires_at: expiryOf(at),
  });
  for (const [index, at] of rows.entries()) if (at !== undefined) await data.row(rowOf(at, index + 1));
  if (unlogged !== undefined) await data.row(rowOf(unlogged, 200));
  if (exported !== undefined) {
    await data.known({ hash: hashOf(201), uid: '1', entry_id: '201', received_at: exported, source: '{}' });
    // What two exports have is one finding; a row that stands there is compared as any other.
    await data.known({ hash: hashOf(201), uid: '1', entry_id: '201', received_at: exported, source: '{}' });
    await data.known({ hash: hashOf(202), uid: '1', entry_id: '1', received_at: exported, source: '{}' });
  }
  await more?.(data);
  const findings = new Findings();
  const newestAt = checkpoints.at(-1) ?? BEGAN;
  const counts = await compareTables(data.engine, {
    now,
    hasTables,
    newestAt,
    read: async () => undefined,
    report: findings.report,
  });
  data.engine.close();
  const problems = findings.of('late').map(({ problem }) => problem);
  return { kinds: Object.keys(findings.counts), found: findings.contradictions, problems, ...counts };
}

const LATE_MS = 2 * MINUTE_MS;
const FOUND_MS = 12 * MINUTE_MS;

/** Says that the log had come to a time before its first entry. A later mark that somebody wrote does not undo it. */
const cameTo = (cursor: number) => async (data: AuditData) => {
  await data.mark({ size: 0, cursor });
  await data.mark({ size: 1, cursor: 0 });
};
/** Says when the quorum of witnesses cosigned the log at some sizes. */
const cosigned =
  (...sizes: readonly (readonly [size: number, at: number])[]) =>
  async (data: AuditData) => {
    for (const [size, cosigned_at] of sizes) await data.cosigned({ size, cosigned_at });
  };
const later = BEGAN + 60 * MINUTE_MS;

describe('the time of receipt of a row, to the millisecond:', () => {
  // biome-ignore format: one case a line
  test.each<[name: string, log: Log, kinds: string[]]>([
    ['logged two minutes after it', { checkpoints: [later], rows: [later - LATE_MS] }, []],
    ['logged later than that, in order', { checkpoints: [later], rows: [later - LATE_MS - 1] }, ['delayed']],
    ['logged ten minutes after it, in order', { checkpoints: [later], rows: [later - PROMISE_MS] }, ['delayed']],
    ['logged later than its receipt promised', { checkpoints: [later], rows: [later - PROMISE_MS - 1] }, ['overdue']],
    ['logged in time, as witnesses say', { checkpoints: [later], rows: [later - PROMISE_MS - 1], more: cosigned([2, later - PROMISE_MS]) }, ['delayed']],
    ['cosigned late, and stored in time', { checkpoints: [later], rows: [later - 1], more: cosigned([2, later + PROMISE_MS]) }, []],
    ['stored in time, and not seen by witnesses at its deadline', { checkpoints: [later], rows: [later], more: cosigned([1, later + PROMISE_MS]) }, []],
    ['stored in time, and not seen by witnesses after its deadline', { checkpoints: [later], rows: [later], more: cosigned([1, later + PROMISE_MS + 1]) }, ['overdue']],
    ['not seen by witnesses after its deadline, who saw it at its deadline', { checkpoints: [later], rows: [later], more: cosigned([1, later + PROMISE_MS + 1], [2, later + PROMISE_MS]) }, []],
    ['two minutes before an entry that was logged earlier', { checkpoints: [later, later], rows: [later, later - LATE_MS] }, []],
    ['earlier than that', { checkpoints: [later, later], rows: [later, later - LATE_MS - 1] }, ['late']],
    ['a minute after it was logged', { checkpoints: [later], rows: [later + MINUTE_MS] }, []],
    ['more than a minute after it was logged', { checkpoints: [later], rows: [later + MINUTE_MS + 1] }, ['early']],
    ['before the log began', { checkpoints: [later], rows: [BEGAN - 1] }, []],
    ['earlier than that, before one in between', { checkpoints: [later, later, later], rows: [later, later - MINUTE_MS, later - LATE_MS - 1] }, ['late']],
    ['logged a second time', { checkpoints: [later, later + 60 * MINUTE_MS], rows: [later, later + 60 * MINUTE_MS], more: (data) => data.leaf({ idx: 2, hash: hashOf(1) }) }, []],
    ['before the log began, in order', { checkpoints: [later, later], rows: [BEGAN - 2, BEGAN - 1] }, []],
    ['before the log began, after a later one', { checkpoints: [later, later], rows: [later, BEGAN - 1] }, ['late']],
    ['before the log began, after a later one that is as old', { checkpoints: [later, later], rows: [BEGAN - 1, BEGAN - 1 - LATE_MS] }, []],
    ['as late as an entry that the index showed late', { checkpoints: [later], rows: [BEGAN], more: cameTo(BEGAN + FOUND_MS) }, ['overdue']],
    ['later than that, into a log to which nothing came meanwhile', { checkpoints: [later], rows: [BEGAN], more: cameTo(BEGAN + FOUND_MS + 1) }, ['late']],
    ['later than that, as a hint alone says', { checkpoints: [later], rows: [BEGAN], more: (data) => data.hint({ size: 1, cursor: BEGAN + FOUND_MS + 1 }) }, ['late']],
    ['before the log began, after a later one that is older', { checkpoints: [later, later], rows: [BEGAN - 1, BEGAN - 2 - LATE_MS] }, ['late']],
  ])('%s', async (_name, log, kinds) => {
    expect((await compare(log)).kinds).toEqual(kinds);
  });

  test('a late one is said to be after what the log had', async () => {
    const passed = await compare({ checkpoints: [later], rows: [BEGAN], more: cameTo(BEGAN + FOUND_MS + 1) });
    const after = await compare({ checkpoints: [later, later], rows: [later, later - LATE_MS - 1] });
    expect([...passed.problems, ...after.problems]).toEqual([
      expect.stringMatching(/, 1 h 0 min late and after the log had passed this time\. It was backdated.*was ahead\.$/),
      expect.stringMatching(/, 2 min 0 s late and after entries received later\. It was backdated, .* late\.$/),
    ]);
  });

  // biome-ignore format: one case a line
  test.each<[name: string, more: Log['more'], untimed: number]>([
    ['without witnesses', undefined, 2],
    ['by a first checkpoint that witnesses cosigned ten minutes after one', cosigned([2, later + PROMISE_MS], [3, later + PROMISE_MS + 1]), 1],
    ['by a later checkpoint that was cosigned in time', cosigned([3, later + PROMISE_MS], [4, 0]), 0],
    ['by none of witnesses that contradict themselves', cosigned([2, later + PROMISE_MS + 1], [3, later]), 2],
  ])('is proven %s', async (_name, more, untimed) => {
    const counts = await compare({ checkpoints: [later, later], rows: [later, later], ...(more && { more }) });
    expect(counts.untimed).toBe(untimed);
  });

  // biome-ignore format: one case a line
  test.each([
    [0, [], 1], [-LATE_MS + 1, [], 1], [-LATE_MS, ['late'], 0], [-12 * MINUTE_MS + 1, ['late'], 0], [-12 * MINUTE_MS, ['unlogged'], 0],
    [DAY_MS - 60 * MINUTE_MS + MINUTE_MS, [], 1], [DAY_MS - 60 * MINUTE_MS + MINUTE_MS + 1, ['unlogged'], 0],
  ] as const)('%d ms after the newest checkpoint, and not in the log', async (after, kinds, pending) => {
    const { kinds: found, ...counts } = await compare({ checkpoints: [later], rows: [later], unlogged: later + after });
    expect([found, counts.pending]).toEqual([kinds, pending]);
  });
});

// biome-ignore format: one case a line
test.each<[name: string, sizes: (readonly [size: number, at: number])[], kinds: string[], untimed: number]>([
  ['no witness says when', [], [], 2],
  ['its entry was cosigned in time', [[2, later + PROMISE_MS]], [], 1],
  ['its entry was cosigned late', [[2, later + PROMISE_MS + 1]], [], 2],
  ['the log was cosigned without its entry in time', [[1, later + PROMISE_MS], [2, later + PROMISE_MS + 1]], [], 2],
  ['the log was cosigned without its entry after its deadline', [[1, later + PROMISE_MS + 1], [2, later + PROMISE_MS + 2]], ['overdue'], 2],
  ['witnesses contradict themselves', [[1, later + PROMISE_MS + 1], [2, later]], [], 2],
])('a receipt for a copy of the log: %s', async (_name, sizes, kinds, untimed) => {
  const receipt = { uid: '1', entry_id: '1', received_at: later, source: '{}', receipt: 'r', deadline: later + PROMISE_MS };
  const more = async (data: AuditData) => {
    await data.known({ hash: hashOf(1), ...receipt });
    await cosigned(...sizes)(data);
  };
  const counts = await compare({ checkpoints: [later, later], rows: [], hasTables: false, more });
  expect([counts.kinds, counts.untimed]).toEqual([kinds, untimed]);
});

test.each([
  [12 * MINUTE_MS - 1, 0],
  [12 * MINUTE_MS, 1],
])('%d ms after its receipt, an entry shows that the log stands still: %d', async (after, stalled) => {
  const counts = await compare({ checkpoints: [later], rows: [later], unlogged: later, now: later + after });
  expect([counts.kinds, counts.pending, counts.stalled]).toEqual([[], 1, stalled]);
});

test.each([
  [BEGAN - 1, []],
  [BEGAN, ['unlogged']],
  [later - 12 * MINUTE_MS, ['unlogged']],
  [later - 12 * MINUTE_MS + 1, []],
] as const)('an entry of an export, received at %d, that neither table nor log has', async (exported, kinds) => {
  const counts = await compare({ checkpoints: [later], rows: [later], exported });
  expect([counts.kinds, counts.found]).toEqual([kinds, kinds.length]);
});

describe('a leaf without a row', () => {
  const checkpoints = [later, later + MINUTE_MS];
  // The earliest time of receipt is 12 minutes before the checkpoint before it.
  const expires = later - 12 * MINUTE_MS + 2 * DAY_MS;

  // biome-ignore format: one case a line
  test.each<[name: string, log: Partial<Log>, kinds: string[], expired: number]>([
    ['is removed if entries are kept for ever', { days: 0, now: expires }, ['removed'], 0],
    ['is removed a millisecond before it can have expired', { days: 2, now: expires - 1 }, ['removed'], 0],
    ['may have expired', { days: 2, now: expires }, [], 1],
  ])('%s', async (_name, log, kinds, expired) => {
    const found = await compare({ checkpoints, rows: [later, undefined], ...log });
    expect([found.kinds, found.expired]).toEqual([kinds, expired]);
  });

  test('before one that is older than the log may be older, too, if entries expire', async () => {
    const older = BEGAN - 13 * MINUTE_MS;
    for (const [days, olderGone] of [
      [2, 1],
      [0, 0],
    ] as const) {
      const found = await compare({ checkpoints, rows: [undefined, older], days });
      expect([found.olderGone, found.kinds]).toEqual([olderGone, olderGone ? [] : ['removed']]);
    }
  });

  test('before a backdated one is removed, however old that says it is', async () => {
    const rows = [undefined, BEGAN - 13 * MINUTE_MS];
    const { kinds, olderGone } = await compare({ checkpoints, rows, days: 2, more: cameTo(BEGAN) });
    expect([kinds.sort(), olderGone]).toEqual([['late', 'removed'], 0]);
  });
});

test.each([
  [0, 0],
  [1e13 - 1, 1e13 - 1],
  [1e13, null],
  [-1, null],
  [1.5, null],
])('a time of receipt of %d is read as %s', (receivedAt, read) => {
  expect(checkRow({ uid: '1', entryId: 'e', receivedAt } as Entry, false, () => {}).received_at).toBe(read);
});

test('a row without a time of receipt and without arrival attributes is a finding', () => {
  const kinds: string[] = [];
  for (const receivedAt of [undefined, 'x', 1e13]) {
    checkRow({ uid: '1', entryId: 'e', receivedAt } as unknown as Entry, false, ({ kind }) => kinds.push(kind));
  }
  expect(kinds.filter((kind) => kind === 'arrival')).toHaveLength(3);
});

test('a row whose arrival attributes name the leaf of another row is not in the log', async () => {
  const row = {
    uid: '1',
    entry_id: 'x',
    hash: hashOf(200),
    claimed: hashOf(1),
    is_indexed: false,
    received_at: BEGAN,
    expires_at: null,
  };
  const { kinds } = await compare({ checkpoints: [later], rows: [later], more: (data) => data.row(row) });
  expect(kinds).toEqual(['unlogged']);
});

test.each([
  [later, ['head']],
  [later + 1, []],
] as const)('a cursor of %d ms at a size, with an entry of that time', async (cursor, kinds) => {
  const more = (data: AuditData) => data.mark({ size: 2, cursor });
  expect((await compare({ checkpoints: [later], rows: [later], more })).kinds).toEqual(kinds);
});

describe('while the retention changes, both are right for an hour:', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const DAYS = 30;
  /** The expiry of an entry by the new retention. */
  const newOf = (at: number) => Math.ceil(at / 1000) + DAYS * 86_400;

  // biome-ignore format: one case a line
  test.each<[name: string, receivedAt: number, expiresAt: number | null, isRight: boolean]>([
    ['the old one', later + HOUR_MS, null, true],
    ['the old one, too late', later + HOUR_MS + 1, null, false],
    ['the new one', later - HOUR_MS, newOf(later - HOUR_MS), true],
    ['the new one, too early', later - HOUR_MS - 1, newOf(later - HOUR_MS - 1), false],
    ['the new one, to the next second', later + 1, newOf(later + 1), true],
    ['the new one, a second less', later + 1, newOf(later + 1) - 1, false],
  ])('%s', async (_name, received_at, expires_at, isRight) => {
    const checkpoints = [later, later];
    const { kinds } = await compare({
      checkpoints, rows: [],
      async more(data) {
        await data.leaf({ idx: 3, hash: hashOf(203), days: DAYS });
        await data.leaf({ idx: 4, hash: hashOf(204) });
        for (const position of [4, 5]) await data.file({ kind: 'checkpoint', path: '', position, stored_at: later });
        await data.row({ uid: '1', entry_id: 'x', hash: hashOf(204), is_indexed: true, received_at, expires_at });
      },
    });
    expect(kinds.includes('expiry')).toBe(!isRight);
  });
});

test('an entry id that does not follow from the request is a finding, and so is an attribute of nobody', () => {
  const kindsOf = (change: object) => {
    const made = newEntry(BEGAN);
    const entry = { ...made, entryId: entryIdOf(made), ...change };
    const kinds: string[] = [];
    checkRow({ ...entry, ...arrivalKeys(entry) }, false, ({ kind }) => kinds.push(kind));
    return kinds;
  };
  expect(kindsOf({})).toEqual([]);
  expect(kindsOf({ entryId: `${BEGAN}-${'0'.repeat(32)}` })).toEqual(['id']);
  expect(kindsOf({ more: 1 })).toEqual(['copies']);
});
