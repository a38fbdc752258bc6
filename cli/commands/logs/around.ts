import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { importOrders } from '../../review/orders/importOrders.ts';
import { entryId, offset, orderId, span, uid } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Row } from '../../shell/terminal/format.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { describeEntry, explanationOf } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { findEntry } from '../../store/entries/findEntry.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { requireKnownUids } from '../../store/entries/requireKnownUids.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const DEFAULT_SPAN_MS = 10 * 60_000;

type Subject = { readonly orderId: string } | { readonly entryId: string };

/** An entry id has a hyphen or an ellipsis; digits alone are an order id. */
function subject(text: string): Subject {
  if (/[-….]/.test(text)) return { entryId: entryId(text) };
  try {
    return { orderId: String(orderId(text)) };
  } catch {
    throw new InvalidArgumentError('Give an order id, or the start of an entry id with its hyphen.');
  }
}

/** A moment of a team: when it placed an order or signed a log. Times are in milliseconds since 1970. */
type Moment = { readonly uid: string; readonly at: number };
type Order = Moment & { readonly orderId: string };

/** An order or a log on the time line. `isSubject` marks what the user asked for. */
type Event = ({ order: Order } | { entry: Entry }) & { readonly at: number; readonly isSubject: boolean };

/** Finds the team and the time of an order: in the order list if it is there, else by the logs that name it. */
async function findOrder(
  target: Target,
  wanted: string,
  { orders, owner }: { orders: readonly Order[] | undefined; owner: string | undefined },
): Promise<Moment> {
  const isOwn = ({ uid: other }: { uid: string }) => owner === undefined || other === owner;
  const listed = orders?.filter((order) => order.orderId === wanted && isOwn(order)) ?? [];
  const named = await entriesReader(target.db, target.tables.aiLogs).newestOfOrder({ orderId: BigInt(wanted) }, 1);
  const logged = named.filter(isOwn).map(({ uid: of, entries }) => ({ uid: of, at: Number(entries[0]?.timestamp) }));
  const moments: readonly Moment[] = listed.length > 0 ? listed : logged;
  const [moment] = moments;
  if (moment === undefined) {
    const advice = orders
      ? 'It is not in the order list either.'
      : 'Give the order list with --orders FILE: it has the time of the order.';
    const whose = owner === undefined ? '' : ` of UID ${owner}`;
    throw new Failure('negative', `No log names order ${wanted}${whose}.`, { advice });
  }
  if (moments.length > 1) {
    throw new Failure('usage', `Several teams name order ${wanted}: UID ${moments.map((one) => one.uid).join(', ')}.`, {
      advice: 'Give --uid, or the order list with --orders FILE.',
    });
  }
  return moment;
}

/** Formats a distance in time with its sign; nothing if there is none. */
function formatDistance(ms: number): string {
  if (ms === 0) return '';
  const apart = Math.abs(ms);
  return `${ms < 0 ? '-' : '+'}${apart < 1000 ? `${apart} ms` : formatDuration(apart)}`;
}

function rowOf(event: Event, center: number): Row {
  const when = { '': event.isSubject ? '>' : '', distance: formatDistance(event.at - center) };
  const time = formatTime(event.at);
  if ('order' in event)
    return { ...when, what: 'order', id: event.order.orderId, time, order: '', stage: '', model: '', explanation: '' };
  const { entryId: id, orderId: order, stage, model } = event.entry;
  return { ...when, what: 'log', id, time, order, stage, model, explanation: explanationOf(event.entry) };
}

const describeEvent = (event: Event, center: number) => ({
  type: 'order' in event ? 'order' : 'log',
  isSubject: event.isSubject,
  distanceMs: event.at - center,
  ...('order' in event
    ? { uid: event.order.uid, orderId: event.order.orderId, time: new Date(event.at).toISOString() }
    : describeEntry(event.entry)),
});

export default (terminal: Terminal) =>
  targetCommand('around', {
    summary: "Show a team's logs and orders shortly before and after one order or entry.",
    examples: [
      ['logs around 590480926522704171 --orders orders.csv', 'the 10 minutes before and after an order'],
      ['logs around 1763103201300-5b1c --span 1h', 'the hour before and after an entry'],
    ],
  })
    .argument('<order|entry>', 'an order id, or the start of an entry id with its hyphen', subject)
    .option('--span <span>', 'the time before and after it: 90s, 10m, 2h', span, DEFAULT_SPAN_MS)
    .option('--orders <file>', 'the order list: CSV with the columns uid, orderId, time')
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .option('--uid <uid>', 'the team, if several name the order', uid)
    .action(async (wanted, { span: width, orders: file, timeZone, uid: owner, json, ...where }) => {
      if (timeZone && file === undefined) throw new Failure('usage', '--time-zone belongs to --orders FILE.');
      const query = 'SELECT uid, CAST(order_id AS VARCHAR) AS "orderId", placed_at AS at FROM orders';
      const orders =
        file === undefined ? [] : await importOrders<Order>(terminal, { path: file, uid: owner }, timeZone, query);
      await withTarget(terminal, where, async (target) => {
        const owners = owner === undefined ? undefined : [owner];
        await requireKnownUids(target, owners);
        let center: Moment;
        let isSubject: (entry: Entry) => boolean;
        if ('orderId' in wanted) {
          center = await findOrder(target, wanted.orderId, { orders: file === undefined ? undefined : orders, owner });
          isSubject = ({ orderId }) => String(orderId) === wanted.orderId;
        } else {
          const { uid, timestamp, entryId } = await findEntry(target, wanted.entryId, owners);
          center = { uid, at: Number(timestamp) };
          isSubject = (entry) => entry.entryId === entryId;
        }
        const [since, until] = [center.at - width, center.at + width];
        const reader = entriesReader(target.db, target.tables.aiLogs);
        const pages = readPages(terminal, reader, { uids: [center.uid], since, until: until + 1 });
        const logs = (await Array.fromAsync(pages)).flatMap(({ entries }) => entries);
        const near = orders.filter(({ uid: of, at }) => of === center.uid && at >= since && at <= until);
        const isWanted = ({ orderId }: Order) => 'orderId' in wanted && orderId === wanted.orderId;
        const events: Event[] = [
          ...near.map((order) => ({ order, at: order.at, isSubject: isWanted(order) })),
          ...logs.map((entry) => ({ entry, at: Number(entry.timestamp), isSubject: isSubject(entry) })),
        ].sort((a, b) => a.at - b.at);
        if (json) return terminal.json(events.map((event) => describeEvent(event, center.at)));
        const rows = events.map((event) => rowOf(event, center.at));
        await terminal.table(rows, { lastWidth: 30 });
        const shown = `UID ${center.uid}, ${formatTime(since)} to ${formatTime(until)}: ${counted(logs.length, 'log')}`;
        const more = file === undefined ? '. --orders FILE adds the orders.' : `, ${counted(near.length, 'order')}.`;
        terminal.note(shown + more);
      });
    });
