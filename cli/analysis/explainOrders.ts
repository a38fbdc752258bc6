import type { Terminal } from '../terminal/terminal.ts';
import { counted } from '../text/numbers.ts';
import type { OrderList } from './readOrders.ts';

/** Notes how an order list was read: its columns, the time zone that was assumed, and what is uncertain. */
export function explainOrders(terminal: Terminal, path: string, list: OrderList): void {
  const { orders, columns, assumedZone, withoutSeconds, merged } = list;
  const { uid, orderId, time } = columns.headings;
  const ignored = columns.ignored.length > 0 ? ` Ignored columns: ${columns.ignored.join(', ')}.` : '';
  terminal.note(
    `Read ${counted(orders.length, 'order')} from ${path}: UID from ${uid}, order id from ${orderId}, time from ${time}.${ignored}`,
  );
  if (assumedZone !== undefined) {
    const zone = assumedZone === '+00:00' ? 'UTC' : `UTC${assumedZone}`;
    terminal.note(`Times without a time zone were read as ${zone}. --time-zone changes that.`);
  }
  if (withoutSeconds > 0) {
    terminal.note(
      `Times without seconds: ${withoutSeconds}. Each order may be placed up to a minute later than it says, so a log in time can look late. Spreadsheets cut seconds.`,
    );
  }
  if (merged > 0) terminal.note(`Merged lines that repeat another line exactly: ${merged}.`);
}
