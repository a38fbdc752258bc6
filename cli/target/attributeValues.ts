import type { Entry } from '../../functions/ailog/entry.ts';

/** Returns a number of DynamoDB as the closest native one. The SDK throws for some, and then for the whole page. */
export const nativeNumber = (text: string): number | bigint =>
  Number.isSafeInteger(Number(text)) || !/^-?\d+$/.test(text) ? Number(text) : BigInt(text);

/** Returns an item as an entry. An order id that is not an integer stays as it is, so that verification finds it. */
export function toEntry(item: Record<string, unknown>): Entry {
  if (Number.isInteger(item.orderId)) item.orderId = BigInt(item.orderId as number);
  return item as unknown as Entry;
}
