import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { counted } from '../../shell/text/numbers.ts';
import { nameHeads } from './orderColumns.ts';
import { labelOf } from './orderZones.ts';
import type { OrderList } from './readOrders.ts';
import { shown, visibleCell } from './shown.ts';

/** Returns what a list says of its time zones, or what was taken for them. */
function* explainZones({ zones, overridden, twice }: OrderList): Generator<string> {
  const named = zones.map(({ zone, from }) => `${labelOf(zone)}, ${from === '' ? 'assumed' : `from ${from}`}`);
  if (named.length > 0) {
    const isAssumed = zones.some(({ from }) => from === '');
    const remedy = isAssumed ? ' --time-zone changes that.' : '';
    yield `Times without a time zone were read as ${named.join('; ')}.${remedy}`;
  }
  if (overridden !== undefined) yield `The list says another time zone: ${overridden}. It does not count.`;
  if (twice > 0)
    yield `Times that occurred twice, when clocks went back: ${twice}. They were read as the later ones, so a log in time can look an hour early.`;
}

/** Notes how an order list was read: its columns, its time zone, and what is uncertain. */
export function explainOrders({ note }: Surroundings, path: string, read: OrderList): void {
  const { orders, columns, preamble, list, withoutSeconds, merged, inFills, cancelled, unknown, states, unclear } =
    read;
  const { uid, orderId, time } = columns.headings;
  const ignored = columns.ignored.length > 0 ? ` Ignored columns: ${nameHeads(columns.ignored)}.` : '';
  const owner = uid === undefined ? 'UID from --uid' : `UID from ${visibleCell(uid)}`;
  const from = list === undefined ? path : `${path}, list ${list}`;
  const ids = `order id from ${visibleCell(orderId ?? '')}, time from ${visibleCell(time ?? '')}`;
  note(`Read ${counted(orders, 'order')} from ${from}: ${owner}, ${ids}.${ignored}`);
  if (preamble > 0) note(`Lines above the names of the columns, which are ignored: ${preamble}.`);
  if (cancelled > 0) note(`Orders that ended with nothing filled, which need no log: ${cancelled}.`);
  if (unknown > 0) {
    note(
      `Orders that were cancelled or ended, and of which the list does not say how much was filled: ${unknown}. They count. One with nothing filled needs no log.`,
    );
  }
  if (states.length > 0) {
    const named = states.map((one) => `${shown(one.state)} (${one.orders})`).join(', ');
    note(`States that are not known: ${named}. Such orders count, unless the list says that nothing was filled.`);
  }
  for (const text of explainZones(read)) note(text);
  if (withoutSeconds > 0) {
    note(
      `Times without seconds: ${withoutSeconds}. Each order may be placed up to a minute later than it says, so a log in time can look late. Spreadsheets cut seconds.`,
    );
  }
  for (const { cells, line, text } of unclear) {
    note(
      `Sizes or prices with a comma that count as none: ${cells}. Line ${line} has ${shown(text)}, which can be read in two ways. Write numbers as 1500 or 1.5.`,
    );
  }
  if (merged > 0) note(`Merged lines that repeat another line exactly: ${merged}.`);
  if (inFills > 0)
    note(
      `Orders with a line for each fill: ${inFills}. Each counts once, at its earliest time, with the sum of sizes.`,
    );
}
