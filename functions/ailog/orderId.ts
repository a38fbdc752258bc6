/** The largest order id: the largest signed 64-bit integer, 19 digits, of which a JavaScript number keeps 15. */
export const ORDER_ID_LIMIT = 2n ** 63n - 1n;

/** Whether a text is an order id in plain digits, or empty: no order. The schema's format `int64`. */
export function isOrderId(text: string): boolean {
  return text === '' || (/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= ORDER_ID_LIMIT);
}
