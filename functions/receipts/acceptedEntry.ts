import { CLOCK_TOLERANCE_MS } from '../auth/timestamp.ts';
import type { HashedAttributes } from '../tlog/entryHash.ts';

/** The attributes that a signature covers, or that follow from it. They are equal for every attempt of a request. */
const SIGNED = [
  'uid',
  'entryId',
  'accessKey',
  'timestamp',
  'signature',
  'query',
  'bodySha256',
  'bodyBytes',
] as const satisfies readonly (keyof HashedAttributes)[];

/**
 * Returns the entry that the log will contain for a request. If an earlier attempt stored it, that is the stored entry:
 * its `receivedAt`, and its `locale` and `sourceIp`, which are not signed and may differ in a resend. Everything else
 * must be what this request says, so that a row that someone changed or inserted gets no receipt.
 * @param earlier the stored entry; undefined if this request stored its own
 * @throws Error that names the attribute that differs
 */
export function acceptedEntry(entry: HashedAttributes, earlier: HashedAttributes | undefined): HashedAttributes {
  if (!earlier) return entry;
  const changed = SIGNED.find((name) => earlier[name] !== entry[name]);
  if (changed) throw new Error(`The stored entry ${entry.entryId} has another ${changed} than its request.`);
  if (!(Math.abs(earlier.receivedAt - Number(entry.timestamp)) <= CLOCK_TOLERANCE_MS)) {
    throw new Error(`The stored entry ${entry.entryId} has a receivedAt at which its request was not valid.`);
  }
  return earlier;
}
