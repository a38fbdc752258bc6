import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { counted } from '../../shell/text/numbers.ts';
import { nameHeads } from './orderColumns.ts';
import { labelOf } from './orderZones.ts';
import type { OrderList } from './readOrders.ts';
import { shown, visibleCell } from './shown.ts';

/** Notes how an order list was read: its columns, its time zone, and what is uncertain. */
export function explainOrders({ note }: Surroundings, path: string, read: OrderList): void {
  const { orders, columns, list, states, inStates, inStatesUnfilled, zones, overridden, unclear } = read;
  const some = (count: number, what: string, more = '') => count > 0 && note(`${what}: ${count}.${more}`);
  const { uid, orderId, time } = columns.headings;
  const ignored = columns.ignored.length > 0 ? ` Ignored columns: ${nameHeads(columns.ignored)}.` : '';
  const owner = uid === undefined ? 'UID from --uid' : `UID from ${visibleCell(uid)}`;
  const from = list === undefined ? path : `${path}, list ${list}`;
  const ids = `order id from ${visibleCell(orderId ?? '')}, time from ${visibleCell(time ?? '')}`;
  note(`Read ${counted(orders, 'order')} from ${from}: ${owner}, ${ids}.${ignored}`);
  some(read.preamble, 'Lines above the names of the columns, which are ignored');
  some(read.cancelled, 'Orders that ended with nothing filled, which need no log');
  const ended = 'Orders that were cancelled or ended, and of which the list does not say how much was filled';
  some(read.unknown, ended, ' They count. One with nothing filled needs no log.');
  if (states.length > 0) {
    const named = states.map((one) => `${shown(one.state)} (${one.orders})`).join(', ');
    note(`States that are not known: ${named}.`);
    some(inStates - inStatesUnfilled, 'Orders in such a state that count');
    const later = ' If the state means open, export the list again later.';
    some(inStatesUnfilled, 'Orders in such a state with nothing filled, which need no log', later);
  }
  const named = zones.map((one) => `${labelOf(one.zone)}, ${one.from === '' ? 'assumed' : `from ${one.from}`}`);
  const remedy = zones.some((one) => one.from === '') ? ' --time-zone changes that.' : '';
  if (named.length > 0) note(`Times without a time zone were read as ${named.join('; ')}.${remedy}`);
  if (overridden !== undefined) note(`The list says another time zone: ${overridden}. It does not count.`);
  const later = ' They were read as the later ones, so a log in time can look an hour early.';
  some(read.twice, 'Times that occurred twice, when clocks went back', later);
  const late = ' Each order may be placed up to a minute later than it says, so a log in time can look late.';
  some(read.withoutSeconds, 'Times without seconds', `${late} Spreadsheets cut seconds.`);
  for (const { cells, line, text } of unclear) {
    const where = ` Line ${line} has ${shown(text)}, which can be read in two ways. Write numbers as 1500 or 1.5.`;
    some(cells, 'Sizes or prices with a comma that count as none', where);
  }
  some(read.merged, 'Merged lines that repeat another line exactly');
  const once = ' Each counts once, at its earliest time, with the sum of sizes.';
  some(read.inFills, 'Orders with a line for each fill', once);
}
