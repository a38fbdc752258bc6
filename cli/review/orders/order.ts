/** An order that a team placed, from the exchange. */
export interface Order {
  readonly uid: string;
  /** The order id as decimal digits. */
  readonly orderId: string;
  /** The time at which it was placed, in milliseconds since 1970. */
  readonly placedAt: number;
  readonly symbol?: string | undefined;
  readonly side?: string | undefined;
  readonly size?: number | undefined;
  readonly price?: number | undefined;
  /** True if it was never filled, not even in part: it needs no log. */
  readonly cancelled?: boolean | undefined;
}

/** The columns of the table `orders`. */
export const ORDER_COLUMNS = {
  uid: 'VARCHAR',
  order_id: 'BIGINT',
  placed_at: 'BIGINT',
  symbol: 'VARCHAR',
  side: 'VARCHAR',
  size: 'DOUBLE',
  price: 'DOUBLE',
  cancelled: 'BOOLEAN',
} as const;
