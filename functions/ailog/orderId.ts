import type { AiLog } from './schema.ts';

/** The largest order id: the largest signed 64-bit integer, of 19 digits. A JavaScript number keeps only 15. */
export const ORDER_ID_LIMIT = 2n ** 63n - 1n;

/** Returns true if a text is an order id in plain digits, or empty for no order: the format `int64` of the schema. */
export function isOrderId(text: string): boolean {
  return text === '' || (/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= ORDER_ID_LIMIT);
}

/**
 * Says in ASCII, for AI-LOG-WARNING, why a log may name no order, or a rounded one: JSON.parse makes 702628302073888800
 * of 702628302073888771. Of ids with 18 digits, 1 in 128 looks the same. @returns undefined: nothing to say
 */
export function orderWarning({ orderId }: Pick<AiLog, 'orderId'>): string | undefined {
  if (orderId === '') return 'orderId is empty: the log names no order';
  const rounded = Number(orderId);
  return rounded > 2 ** 53 && String(rounded) === orderId
    ? `orderId ${orderId} looks rounded: JSON.parse loses the last digits of an id; take them from the text of the answer`
    : undefined;
}
