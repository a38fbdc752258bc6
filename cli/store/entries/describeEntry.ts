import { bodyOf } from '../../../functions/ailog/bodyOf.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { requireJsonObject } from '../../../functions/ailog/jsonText.ts';
import { parseJson } from '../../../functions/ailog/plainNames.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { entryPreimage } from '../../../functions/tlog/entryHash.ts';

/** Returns the body of an entry, or undefined if the stored body is damaged. */
export const readBody = (entry: Partial<Pick<Entry, 'body' | 'bodyBytes'>>): Buffer | undefined =>
  orUndefined(() => bodyOf(entry as Pick<Entry, 'body' | 'bodyBytes'>));

/** Returns the body as text (the service accepts only UTF-8), or undefined if the stored body is damaged. */
export const readBodyText = (entry: Parameters<typeof readBody>[0]): string | undefined => readBody(entry)?.toString();

/** Returns the second line of the preimage of an entry, as evidence has it; undefined if a value is of no such type. */
export const entryTextOf = (entry: Entry): string | undefined => orUndefined(() => entryPreimage(entry).split('\n')[1]);

/** Returns the explanation in the body of an entry, well-formed; undefined if it is damaged. @param body if known */
export function explanationOf(entry: Partial<Pick<Entry, 'body'>>, body = readBodyText(entry)): string | undefined {
  // Only a write past the service can have stored a body of which this throws.
  const { explanation } = orUndefined(() => requireJsonObject(parseJson(body as string))) ?? {};
  return typeof explanation === 'string' ? explanation.toWellFormed() : undefined;
}

/** Returns a time as ISO 8601. A value that is not a time stays as it is; null if there is none. */
const isoTime = (ms: number | undefined): string | null => {
  if (ms === undefined) return null;
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString();
};

/** Describes an entry without its body, in the order of its fields; null for what it lacks. @param body if known */
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

export type EntryDescription = ReturnType<typeof describeEntry>;
