import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT, sameHash } from '../../../functions/c2sp/hashing.ts';
import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import { headTable } from '../../../functions/tlog/head.ts';
import { stagingPath } from '../../../functions/tlog/paths.ts';
import type { Head, LoggedKey, ReceiptKeys } from '../../../functions/tlog/tlogTable.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { CLOCK_SKEW_MS } from '../inclusion/place.ts';
import { damagedIn, HEAD, isCount, isItem, isKey, isListOf, type StoredItem } from '../inclusion/readHead.ts';
import { type AuditData, rowsOf } from './auditData.ts';
import type { Report } from './findings.ts';

export const readTlogItems = async ({ db, tables }: Target) => ({
  head: (await headTable(db, tables.tlog).get(readTimeout())) as StoredItem | undefined,
  receiptKeys: (await readReceiptKeys(db, tables.tlog, readTimeout())) as StoredItem | undefined,
});

export type TlogItems = Awaited<ReturnType<typeof readTlogItems>>;

const isReceiptKey = ({ verifierKey, createdAt }: StoredItem): boolean =>
  typeof verifierKey === 'string' && typeof createdAt === 'string';

/** Returns the keys in the head, as far as they can be read. */
export const keysIn = ({ head }: TlogItems): LoggedKey[] =>
  Array.isArray(head?.keys) ? head.keys.filter((key) => isItem(key) && isKey(key)) : [];

/** What the value of each attribute of the receipt keys must be. */
const RECEIPT_KEYS: Readonly<Record<keyof ReceiptKeys, (value: unknown) => boolean>> = {
  id: (value) => value === 'receipt-keys',
  current: (value) => isItem(value) && isReceiptKey(value) && value.sealedPrivateKey instanceof Uint8Array,
  previous: (value) => isListOf(value, isReceiptKey),
  requested: (value) => value === undefined || (isItem(value) && isCount(value.startsAt)),
  next: (value) => value === undefined || (isItem(value) && isReceiptKey(value) && isCount(value.startsAt)),
};

/**
 * Compares what the Tlog table says of retention and receipt keys with the log. The leaves of keys are compared with
 * all others.
 */
export async function auditAnnounced({ head, receiptKeys }: TlogItems, { engine }: AuditData, report: Report) {
  const [logged] = await rowsOf<{ days: number | null }>(
    engine,
    'SELECT max_by(days, idx) AS days FROM leaf WHERE days IS NOT NULL',
  );
  if (head && (head.retentionDays ?? null) !== logged?.days)
    report({ kind: 'head', problem: 'The head in the Tlog table: its retentionDays is not what the log announces.' });
  const damaged = Object.entries(RECEIPT_KEYS).filter(([name, isRight]) => !isRight(receiptKeys?.[name]));
  const names = damaged.map(([name]) => name).join(', ');
  if (head && names !== '')
    report({ kind: 'head', problem: `The item receipt-keys in the Tlog table: ${names} cannot be read.` });
}

/**
 * Compares the head in the Tlog table with the files of the log, which decide.
 * @param now milliseconds since 1970
 * @returns the number of leaves that were claimed and not published
 */
export async function auditHead(
  { head }: TlogItems,
  { size, root }: Checkpoint,
  { data, now, report }: { data: AuditData; now: number; report: Report },
): Promise<number> {
  const wrong = (is: boolean, problem: string) => {
    if (is) report({ kind: 'head', problem: `The head in the Tlog table: ${problem}` });
  };
  wrong(!head, 'it is missing, and there is a log.');
  if (!head) return 0;
  const damaged = damagedIn(head);
  wrong(damaged.length > 0, `${damaged.join(', ')} cannot be read.`);
  if (damaged.length > 0) return 0;
  const unknown = Object.keys(head).filter((name) => !(name in HEAD));
  wrong(unknown.length > 0, `the service does not write ${unknown.join(', ')}.`);

  const claimed = head as unknown as Head;
  const { fromSize, fromRoot, cursor, looked, writtenAt, keys, marks } = claimed;
  for (const mark of [...marks, claimed]) await data.mark({ size: mark.size, cursor: mark.cursor });
  const staged = await rowsOf<{ path: string; ends: number; root: Uint8Array }>(
    data.engine,
    `SELECT path, ends, root FROM file WHERE kind = 'staging' AND ends IN (${fromSize}, ${claimed.size})`,
  );
  const isStaged = staged.some(({ path }) => path === stagingPath(claimed));
  const rootsBefore =
    fromSize === 0 ? [EMPTY_ROOT] : staged.filter(({ ends }) => ends === fromSize).map((one) => one.root);
  const sizes = `its size is ${claimed.size}`;
  if (claimed.size === size) {
    wrong(!sameHash(claimed.root, root), 'its root is not that of the newest checkpoint.');
    wrong(size > 0 && !isStaged, 'no batch was staged for its fromSize, size and root.');
    const isBefore = rootsBefore.some((one) => sameHash(one, fromRoot));
    wrong(!isBefore, `fromRoot is not the root of the first ${fromSize} entries.`);
  } else if (claimed.size < size)
    wrong(true, `${sizes}, and a checkpoint of size ${size} was published. It was rolled back.`);
  else {
    const follows = isStaged && fromSize === size && sameHash(fromRoot, root);
    wrong(!follows, `${sizes}, the newest checkpoint has ${size}, and no staged batch leads from one to the other.`);
  }
  wrong(new Set(keys.map(({ key }) => key)).size < keys.length, 'a key is there twice.');
  wrong(cursor > writtenAt, 'its cursor is later than the time at which it was written.');
  wrong(looked > writtenAt, 'it looked at entries later than the time at which it was written.');
  wrong(writtenAt > now + CLOCK_SKEW_MS, 'it was written in the future.');
  const [stored] = await rowsOf<{ latest: number | null }>(
    data.engine,
    `SELECT max(stored_at) AS latest FROM file WHERE kind = 'checkpoint' AND position <= ${size}`,
  );
  const isEarlier = claimed.size === size && (stored?.latest ?? 0) > writtenAt + CLOCK_SKEW_MS + 60_000;
  wrong(isEarlier, 'it was written earlier than its checkpoint was stored.');
  for (const [at, mark] of marks.entries()) {
    const next = marks[at + 1] ?? claimed;
    wrong(mark.cursor > next.cursor || mark.size > next.size, `mark ${at + 1} is later than what follows it.`);
  }
  const missing = await rowsOf<{ size: number }>(
    data.engine,
    `SELECT DISTINCT size FROM mark ANTI JOIN file ON kind = 'checkpoint' AND position = size
     WHERE size > 0 AND size <> ${claimed.size} ORDER BY size`,
  );
  for (const mark of missing) wrong(true, `a mark has the size ${mark.size}, and there is no checkpoint of that size.`);
  return Math.max(0, claimed.size - size);
}
