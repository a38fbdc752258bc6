/** An order that a team placed, from the exchange. */
export interface Order {
  readonly uid: string;
  /** The order id as decimal digits. */
  readonly orderId: string;
  /** The time at which it was placed, in milliseconds since 1970. */
  readonly placedAt: number;
}
