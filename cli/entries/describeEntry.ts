import type { Entry } from '../../functions/ailog/entry.ts';
import { explanationOf } from './bodyOf.ts';

/** Returns a time as ISO 8601. A value that is not a time stays as it is; null if there is none. */
const isoTime = (ms: number | undefined): string | null => {
  if (ms === undefined) return null;
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString();
};

/**
 * Describes an entry without its body, its fields in the order in which they are shown. Times are ISO 8601. The order
 * id is a string, so that no digit is lost. An attribute that the table lacks is null.
 * @param body the body as text, if the caller has read it already
 */
export const describeEntry = (entry: Partial<Entry> & Pick<Entry, 'uid' | 'entryId'>, body?: string) => ({
  uid: entry.uid,
  entryId: entry.entryId,
  receivedAt: isoTime(entry.receivedAt),
  orderId: entry.orderId === undefined ? null : String(entry.orderId),
  stage: entry.stage ?? null,
  model: entry.model ?? null,
  explanation: explanationOf(entry, body) ?? null,
  bodySha256: entry.bodySha256 ?? null,
  bodyBytes: entry.bodyBytes ?? null,
  accessKey: entry.accessKey ?? null,
  timestamp: entry.timestamp ?? null,
  signature: entry.signature ?? null,
  query: entry.query ?? null,
  locale: entry.locale ?? null,
  sourceIp: entry.sourceIp ?? null,
});

/** The description of an entry. */
export type EntryDescription = ReturnType<typeof describeEntry>;
