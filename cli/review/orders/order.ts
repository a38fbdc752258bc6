/** A list of orders. `uid`: the owner of all, if it has no UIDs; `name`: that people see, if the path differs. */
export type OrderFile = Readonly<{ path: string } & Partial<Record<'uid' | 'name', string | undefined>>>;

/** An order, placed at a time in milliseconds since 1970. `cancelled`: nothing of it was filled, so it needs no log. */
export type Order = Readonly<Record<'uid' | 'orderId', string> & { placedAt: number }> &
  Readonly<Partial<Record<'symbol' | 'side', string | undefined> & Record<'size' | 'price', number | undefined>>> &
  Readonly<{ cancelled?: boolean | undefined }>;

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
