import { EMPTY_ROOT, HASH_BYTES, sameHash } from '../../functions/c2sp/hashing.ts';
import { stagingPath } from '../../functions/tlog/paths.ts';
import { includes, positionFrom } from '../text/numbers.ts';
import { ROLLOUT_MS } from './checkRow.ts';
import type { Finding } from './findings.ts';
import type { Listing } from './listing.ts';
import type { TlogTimes } from './rowChecks.ts';
import type { LogItemAsStored } from './snapshot.ts';
import { batchesFrom } from './stagedBatches.ts';

/** The clocks of the sequencer and of this command may differ by this much, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isHash = (value: unknown): value is Uint8Array => value instanceof Uint8Array && value.length === HASH_BYTES;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isReconciliation = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  isCount((value as LogItemAsStored).begunAt) &&
  isCount((value as LogItemAsStored).doneAt);

type Mark = TlogTimes['marks'][number];
const isMark = (value: unknown): value is Mark =>
  typeof value === 'object' && value !== null && isCount((value as Mark).cursor) && isCount((value as Mark).size);

/** Returns the verifier keys in the items of the Tlog table, as far as they can be read. */
export function keysIn({
  head,
  receiptKeys,
}: {
  head?: LogItemAsStored | undefined;
  receiptKeys?: LogItemAsStored | undefined;
}) {
  const current = receiptKeys?.current as LogItemAsStored | undefined;
  const previous = Array.isArray(receiptKeys?.previous) ? (receiptKeys.previous as LogItemAsStored[]) : [];
  const receipts = [...previous, current].flatMap((key) =>
    typeof key?.verifierKey === 'string' ? [key.verifierKey] : [],
  );
  return { head: isTexts(head?.keys) ? head.keys : [], receipts };
}

/** Returns the time at which the first receipt key was made, which the first run of the sequencer does. */
function beginningOf(receiptKeys: LogItemAsStored | undefined): number | undefined {
  const { current, previous } = receiptKeys ?? {};
  const times = [...(Array.isArray(previous) ? previous : []), current]
    .map((key) => Date.parse(String((key as LogItemAsStored | undefined)?.createdAt)))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/**
 * Compares the items of the Tlog table with the files of the log.
 * @param log the newest checkpoint, the files, and the time
 * @returns the times that the head tells; undefined if it is damaged
 */
export function auditHead(
  items: { readonly head?: LogItemAsStored | undefined; readonly receiptKeys?: LogItemAsStored | undefined },
  log: {
    readonly size: number;
    readonly root: Uint8Array;
    /** The root of the checkpoint before the newest one; undefined: there is none. */
    readonly rootBefore: Uint8Array | undefined;
    readonly listing: Listing;
    readonly now: number;
  },
  report: (finding: Finding) => void,
): { readonly times: TlogTimes; readonly unpublished: number } | undefined {
  const wrong = (problem: string) => void report({ kind: 'head', problem: `The head in the Tlog table: ${problem}` });
  const { head } = items;
  if (!head) return wrong('it is missing, and there is a log.') as undefined;
  const { size, root, fromSize, fromRoot, cursor, writtenAt, marks, keys, version, hourly, daily } = head;
  const damaged = Object.entries({
    size: isCount(size),
    root: isHash(root),
    fromSize: isCount(fromSize),
    fromRoot: isHash(fromRoot),
    cursor: isCount(cursor),
    writtenAt: isCount(writtenAt),
    version: isCount(version) && version > 0,
    marks: Array.isArray(marks) && marks.every(isMark),
    keys: isTexts(keys),
    hourly: isReconciliation(hourly),
    daily: isReconciliation(daily),
  }).flatMap(([name, isRight]) => (isRight ? [] : [name]));
  if (damaged.length > 0) return wrong(`${damaged.join(', ')} cannot be read.`) as undefined;

  const claimed = { size, root, fromSize, fromRoot } as {
    size: number;
    root: Uint8Array;
    fromSize: number;
    fromRoot: Uint8Array;
  };
  const { sizes, staged } = log.listing;
  const isStaged = () => [...batchesFrom(staged, claimed.fromSize)].some(({ path }) => path === stagingPath(claimed));
  if (claimed.size < log.size)
    wrong(`its size is ${claimed.size}, and a checkpoint of size ${log.size} was published. It was rolled back.`);
  else if (claimed.size > log.size) {
    const follows = claimed.fromSize === log.size && sameHash(claimed.fromRoot, log.root);
    if (!isStaged() || !follows)
      wrong(
        `its size is ${claimed.size}, the newest checkpoint has ${log.size}, and no staged batch leads from one to the other.`,
      );
  } else {
    if (!sameHash(claimed.root, log.root)) wrong('its root is not that of the newest checkpoint.');
    const before = sizes[positionFrom(sizes, log.size) - 1] ?? 0;
    const rootBefore = before === 0 ? EMPTY_ROOT : log.rootBefore;
    if (claimed.fromSize !== before)
      wrong(`fromSize is ${claimed.fromSize}, and the checkpoint before has the size ${before}.`);
    else if (rootBefore && !sameHash(claimed.fromRoot, rootBefore))
      wrong('fromRoot is not the root of the checkpoint before.');
    else if (log.size > 0 && !isStaged()) wrong('no batch was staged for its size and root.');
  }

  const times = { cursor, writtenAt, marks } as { cursor: number; writtenAt: number; marks: Mark[] };
  const looks = [hourly, daily] as { begunAt: number; doneAt: number }[];
  const latestLook = Math.max(...looks.flatMap(({ begunAt, doneAt }) => [begunAt, doneAt]));
  if (times.cursor > times.writtenAt) wrong('its cursor is later than the time at which it was written.');
  if (times.writtenAt > log.now + CLOCK_SKEW_MS) wrong('it was written in the future.');
  if (latestLook > times.writtenAt + CLOCK_SKEW_MS)
    wrong('a reconciliation is later than the time at which it was written.');
  for (const [at, mark] of times.marks.entries()) {
    const next = times.marks[at + 1] ?? { cursor: times.cursor, size: claimed.size };
    if (mark.cursor > next.cursor || mark.size > next.size) wrong(`mark ${at + 1} is later than what follows it.`);
    if (mark.size > 0 && !includes(sizes, mark.size))
      wrong(`mark ${at + 1} has the size ${mark.size}, and there is no checkpoint of that size.`);
  }
  const began = beginningOf(items.receiptKeys);
  const firstMark = times.marks[0]?.cursor ?? times.cursor;
  if (began !== undefined && began > firstMark + ROLLOUT_MS) {
    report({ kind: 'head', problem: 'The first receipt key in the Tlog table is younger than the log.' });
  }
  return {
    times: {
      now: log.now,
      cursor: times.cursor,
      marks: times.marks,
      began,
      backfilled: ((daily as LogItemAsStored).doneAt as number) > 0,
    },
    unpublished: Math.max(0, claimed.size - log.size),
  };
}
