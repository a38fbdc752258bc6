import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT, sameHash } from '../../../functions/c2sp/hashing.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import { headTable } from '../../../functions/tlog/head.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, stagingPath } from '../../../functions/tlog/paths.ts';
import type { LoggedKey, ReceiptKeys } from '../../../functions/tlog/tlogTable.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import {
  inHead,
  isCount,
  isHead,
  isItem,
  isKey,
  isListOf,
  judgeHead,
  type StoredItem,
} from '../inclusion/judgeHead.ts';
import { CLOCK_SKEW_MS } from '../inclusion/place.ts';
import { type Audit, rowsOf } from './auditData.ts';

/** The longest time from the claim of a head to its checkpoint, and between two clocks, in milliseconds. */
const PUBLISHED_MS = 60_000 + CLOCK_SKEW_MS;

/** The age of an hour before the cursor at which the sequencer looks for its entries a second time. */
const LOOK_AFTER_MS = 48 * 3_600_000;

export const readTlogItems = async ({ db, tables }: Target) => ({
  head: (await headTable(db, tables.tlog).get(readTimeout())) as StoredItem | undefined,
  receiptKeys: (await readReceiptKeys(db, tables.tlog, readTimeout())) as StoredItem | undefined,
});

export type TlogItems = Awaited<ReturnType<typeof readTlogItems>>;

const isReceiptKey = ({ verifierKey, createdAt }: StoredItem): boolean =>
  typeof verifierKey === 'string' && typeof createdAt === 'string';

export const keysIn = ({ head }: TlogItems): LoggedKey[] =>
  Array.isArray(head?.keys) ? head.keys.filter((key) => isItem(key) && isKey(key)) : [];

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
export async function auditAnnounced({ head, receiptKeys }: TlogItems, { data: { engine }, report }: Audit) {
  const [logged] = await rowsOf<{ days: number | null }>(
    engine,
    'SELECT max_by(days, idx) AS days FROM leaf WHERE days IS NOT NULL',
  );
  if (head && (head.retentionDays ?? null) !== logged?.days)
    report({ kind: 'head', problem: inHead('its retentionDays is not what the log announces') });
  const damaged = Object.entries(RECEIPT_KEYS).filter(([name, isRight]) => !isRight(receiptKeys?.[name]));
  const names = damaged.map(([name]) => name).join(', ');
  if (head && names !== '')
    report({ kind: 'head', problem: `The item receipt-keys in the Tlog table: ${names} cannot be read.` });
}

/** Returns the root in the checkpoint of a size; undefined if it cannot be read, which is a finding of its own. */
async function rootAt(size: number, { files, policy }: Audit): Promise<Uint8Array | undefined> {
  if (size === 0) return EMPTY_ROOT;
  const signed = await files.read(checkpointPath(size));
  return signed && orUndefined(() => openCheckpoint(Buffer.from(signed).toString(), policy))?.root;
}

/**
 * Compares the head in the Tlog table with the files of the log, which decide.
 * @param now milliseconds since 1970
 * @returns the number of leaves that were claimed and not published
 */
export async function auditHead({ head }: TlogItems, newest: Checkpoint, now: number, audit: Audit): Promise<number> {
  const { files, data, report } = audit;
  const wrong = (is: boolean, problem: string) => {
    if (is) report({ kind: 'head', problem: inHead(problem) });
  };
  wrong(!head, 'it is missing, and there is a log');
  if (!head) return 0;
  const problems = judgeHead(head, newest, now);
  for (const problem of problems) report({ kind: 'head', problem });
  if (!isHead(head)) return 0;

  const { size, root, fromSize, fromRoot, writtenAt, marks, looked, cursor } = head;
  for (const mark of [...marks, head]) await data.mark({ size: mark.size, cursor: mark.cursor });
  const [found] = await rowsOf<{ before: number; storedAt: number; began: number }>(
    data.engine,
    `SELECT coalesce(min(stored_at), 0) AS began,
       coalesce(max(position) FILTER (position < ${size}), 0) AS before,
       coalesce(max(stored_at) FILTER (position <= ${newest.size}), 0) AS "storedAt"
     FROM file WHERE kind = 'checkpoint'`,
  );
  const { before, storedAt, began } = found as NonNullable<typeof found>;
  const isEarly = looked > Math.max(began + PUBLISHED_MS, cursor - LOOK_AFTER_MS);
  wrong(isEarly, 'it says that it looked a second time at entries that are younger than two days');
  if (size === newest.size) {
    wrong(fromSize !== before, `its fromSize is ${fromSize}, and the checkpoint before it has the size ${before}`);
    const rootBefore = await rootAt(fromSize, audit);
    const isOther = rootBefore !== undefined && !sameHash(fromRoot, rootBefore);
    wrong(isOther, `its fromRoot is not the root of the first ${fromSize} entries`);
    wrong(storedAt > writtenAt + PUBLISHED_MS, 'it was written earlier than its checkpoint was stored');
  } else if (size > newest.size && fromSize === newest.size) {
    const isStaged = (await files.modifiedAt(stagingPath({ fromSize, size, root }))) !== undefined;
    wrong(!isStaged, `its size is ${size}, the newest checkpoint has ${newest.size}, and no batch is staged for it`);
  }
  const missing = await rowsOf<{ size: number }>(
    data.engine,
    `SELECT DISTINCT size FROM mark ANTI JOIN file ON kind = 'checkpoint' AND position = size
     WHERE size > 0 AND size <> ${size} ORDER BY size`,
  );
  for (const mark of missing) wrong(true, `a mark has the size ${mark.size}, and there is no checkpoint of that size`);
  return Math.max(0, size - newest.size);
}
