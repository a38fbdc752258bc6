import type { Entry } from '../../functions/ailog/entry.ts';

/** A value in DynamoDB's JSON, such as `{"S": "text"}`. */
type JsonValue = Readonly<Record<string, unknown>>;

/**
 * Returns a number of DynamoDB as the closest native one: a bigint for an integer beyond 2^53. The SDK throws for some,
 * and one such attribute would make a whole page unreadable.
 */
export const nativeNumber = (text: string): number | bigint =>
  Number.isSafeInteger(Number(text)) || !/^-?\d+$/.test(text) ? Number(text) : BigInt(text);

const bytesOf = (base64: string): Uint8Array => Buffer.from(base64, 'base64');

/** The conversion of each type of DynamoDB to a native value. */
const conversions: Readonly<Record<string, (value: never) => unknown>> = {
  S: (text: string) => text,
  N: nativeNumber,
  B: bytesOf,
  BOOL: (value: boolean) => value,
  NULL: () => null,
  SS: (texts: string[]) => new Set(texts),
  NS: (texts: string[]) => new Set(texts.map(nativeNumber)),
  BS: (texts: string[]) => new Set(texts.map(bytesOf)),
  L: (values: JsonValue[]) => values.map(nativeValue),
  M: (values: Record<string, JsonValue>) => nativeItem(values),
};

function nativeValue(json: JsonValue): unknown {
  for (const type in json) return conversions[type]?.(json[type] as never);
  return undefined;
}

/**
 * Returns an item of DynamoDB's JSON with native values, as the SDK does in several times the time. The values are
 * replaced in the item itself, so that a page is not in memory twice.
 */
function nativeItem(item: Record<string, unknown>): Record<string, unknown> {
  for (const name in item) {
    const json = item[name] as JsonValue;
    item[name] = typeof json.S === 'string' ? json.S : nativeValue(json);
  }
  return item;
}

/**
 * Returns an item as an entry. The SDK returns a number as `number` or `bigint`, depending on its size. An order id
 * that is not an integer stays as it is, so that verification finds it.
 */
export function toEntry(item: Record<string, unknown>): Entry {
  if (Number.isInteger(item.orderId)) item.orderId = BigInt(item.orderId as number);
  return item as unknown as Entry;
}

/** Returns the entries in a response of DynamoDB to Query or Scan, and the number of items that it read. */
export function readResponse(response: Uint8Array): { entries: Entry[]; scanned: number } {
  const { Items = [], ScannedCount = 0 } = JSON.parse(
    Buffer.from(response.buffer, response.byteOffset, response.length).toString(),
  );
  return { entries: Items.map((item: Record<string, JsonValue>) => toEntry(nativeItem(item))), scanned: ScannedCount };
}

const NEXT = Buffer.from('"LastEvaluatedKey":');

/**
 * Returns the key in a response after which the next page begins; undefined on the last page. It reads only the end of
 * the response, where DynamoDB writes the key, so that the next page can be requested before this one is read. Within a
 * text, the quotes of the name would be escaped.
 */
export function nextKeyOf(response: Uint8Array): Record<string, unknown> | undefined {
  const bytes = Buffer.from(response.buffer, response.byteOffset, response.length);
  const at = bytes.lastIndexOf(NEXT);
  if (at === -1) return undefined;
  let end: { LastEvaluatedKey?: Record<string, JsonValue> };
  try {
    end = JSON.parse(`{${bytes.toString('utf8', at)}`);
  } catch {
    // An attribute of an item has this name.
    end = JSON.parse(bytes.toString());
  }
  return end.LastEvaluatedKey && nativeItem(end.LastEvaluatedKey);
}
