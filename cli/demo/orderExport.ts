import { join } from 'node:path';
import { LOCAL_FOLDER } from '../target/data.ts';
import type { DemoOrder } from './competition.ts';

/** The order list of the demo. */
export const DEMO_ORDERS_FILE = join(LOCAL_FOLDER, 'demo-orders.csv');

/**
 * Formats orders as an exchange exports them: other names of columns, other columns too, times without a zone, and
 * ids without protection from spreadsheets.
 */
export const formatOrderExport = (orders: readonly DemoOrder[]): string =>
  [
    ['uid', 'order_id', 'symbol', 'side', 'price', 'size', 'time'],
    ...orders.map(({ uid, orderId, symbol, side, price, size, placedAt }) => [
      uid,
      orderId,
      symbol,
      side,
      price,
      size,
      new Date(placedAt).toISOString().slice(0, 23).replace('T', ' '),
    ]),
  ]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
