import { hash } from 'node:crypto';
import { bodyOf } from '../ailog/bodyOf.ts';
import type { StoredEntry } from '../ailog/entries.ts';
import type { Entry } from '../ailog/entry.ts';
import { CLOCK_TOLERANCE_MS } from '../auth/timestamp.ts';
import { orUndefined } from '../orUndefined.ts';
import { arrivalKeys } from '../tlog/arrival.ts';
import type { HashedAttributes } from '../tlog/entryHash.ts';

/** The attributes that follow from the request. They are equal for every attempt of it. */
// biome-ignore format: several a line
const SAME = [
  'uid', 'entryId', 'accessKey', 'timestamp', 'signature', 'query', 'bodySha256', 'bodyBytes', 'orderId', 'stage',
  'model',
] as const satisfies readonly (keyof Entry)[];

const EDITED = 'EntryEdited';

export const isEntryEdited = (error: unknown): boolean => error instanceof Error && error.name === EDITED;

const isSame = (a: unknown, b: Uint8Array): boolean => a instanceof Uint8Array && Buffer.compare(a, b) === 0;

/** Returns true if a stored body is the body of the request. Another version may have compressed it differently. */
function isBodyOf({ bodySha256, bodyBytes }: Entry, stored: unknown): boolean {
  const read = orUndefined(() => bodyOf({ body: stored as Uint8Array, bodyBytes }));
  return read !== undefined && hash('sha256', read) === bodySha256;
}

/** Names an attribute of a stored item that an earlier attempt of the request cannot have written. */
function findEdited(entry: Entry, stored: StoredEntry): string | undefined {
  const { receivedAt } = stored;
  if (!Number.isSafeInteger(receivedAt)) return 'receivedAt';
  if (Math.abs((receivedAt as number) - Number(entry.timestamp)) > CLOCK_TOLERANCE_MS) return 'receivedAt';
  if (!isBodyOf(entry, stored.body)) return 'body';
  // The sort key has the entry hash, which covers what a resend may change: time, locale and IP address.
  const { arrival } = arrivalKeys(stored as unknown as HashedAttributes);
  return SAME.find((name) => stored[name] !== entry[name]) ?? (isSame(stored.arrival, arrival) ? undefined : 'arrival');
}

/**
 * Returns the entry of a request that an earlier attempt has stored, as the transparency log will have it: with its
 * `receivedAt`, `locale` and `sourceIp`, which are not signed. All else must be what this request says: a team gets
 * neither a success nor a receipt for a row that somebody has changed (docs/decisions.md#receipt-of-a-resend).
 * @throws Error for which `isEntryEdited` is true, and which names the attribute
 */
export function acceptedEntry(entry: Entry, stored: StoredEntry): HashedAttributes {
  const edited = findEdited(entry, stored);
  if (edited === undefined) return stored as unknown as HashedAttributes;
  const error = new Error(`The stored entry ${entry.entryId} does not have the ${edited} of its request.`);
  throw Object.assign(error, { name: EDITED });
}
