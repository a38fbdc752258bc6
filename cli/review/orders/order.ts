export interface Order {
  readonly uid: string;
  readonly orderId: string;
  /** In milliseconds since 1970. */
  readonly placedAt: number;
  readonly symbol?: string | undefined;
  readonly side?: string | undefined;
  readonly size?: number | undefined;
  readonly price?: number | undefined;
  /** True if it was never filled, not even in part: it needs no log. */
  readonly cancelled?: boolean | undefined;
}

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
