/** The largest order id: that of a signed 64-bit integer. It has 19 digits; a JavaScript number keeps only 15. */
export const ORDER_ID_LIMIT = 2n ** 63n - 1n;

/** Returns true if a text is an order id in plain digits, or empty for no order: the format `int64` of the schema. */
export function isOrderId(text: string): boolean {
  return text === '' || (/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= ORDER_ID_LIMIT);
}
