import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Entry } from '../../functions/ailog/entry.ts';
import { explainOrders } from '../analysis/explainOrders.ts';
import { readOrders } from '../analysis/readOrders.ts';
import { explanationOf } from '../entries/bodyOf.ts';
import { describeEntry } from '../entries/describeEntry.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { findEntry } from '../entries/findEntry.ts';
import { readPages } from '../entries/readPages.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { type Target, withTarget } from '../target/target.ts';
import { entryId, offset, orderId, span, uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Row } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted } from '../text/numbers.ts';
import { formatDuration, formatTime } from '../text/time.ts';

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
interface Moment {
  readonly uid: string;
  readonly at: number;
}

interface Order extends Moment {
  readonly orderId: string;
}

/** An order or a log on the time line. `isSubject` marks what the user asked for. */
type Event = ({ readonly order: Order } | { readonly entry: Entry }) & {
  readonly at: number;
  readonly isSubject: boolean;
};

/** Finds the team and the time of an order: in the order list if it is there, else by the logs that name it. */
async function findOrder(
  target: Target,
  wanted: string,
  { orders, owner }: { orders: readonly Order[] | undefined; owner: string | undefined },
): Promise<Moment> {
  const isOwn = ({ uid: other }: { uid: string }) => owner === undefined || other === owner;
  const listed = orders?.filter((order) => order.orderId === wanted && isOwn(order)) ?? [];
  const named = await entriesReader(target.db, target.tables.aiLogs).newestOfOrder({ orderId: BigInt(wanted) }, 1);
  const moments: readonly Moment[] =
    listed.length > 0
      ? listed
      : named.filter(isOwn).map(({ uid: of, entries }) => ({ uid: of, at: Number(entries[0]?.timestamp) }));
  const [moment] = moments;
  if (moment === undefined) {
    throw new Failure('negative', `No log names order ${wanted}${owner === undefined ? '' : ` of UID ${owner}`}.`, {
      advice:
        orders === undefined
          ? 'Give the order list with --orders FILE: it has the time of the order.'
          : 'It is not in the order list either.',
    });
  }
  if (moments.length > 1) {
    throw new Failure('usage', `Several teams name order ${wanted}: UID ${moments.map((one) => one.uid).join(', ')}.`, {
      advice: 'Give --uid, or the order list with --orders FILE.',
    });
  }
  return moment;
}

async function readLogs(
  terminal: Terminal,
  target: Target,
  filter: { uids: string[]; since: number; until: number },
): Promise<Entry[]> {
  const logs: Entry[] = [];
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const { entries } of readPages(terminal, reader, filter)) logs.push(...entries);
  return logs;
}

const rowOf = (event: Event, center: number): Row => {
  const distance = event.at - center;
  const sign = distance < 0 ? '-' : '+';
  const when = {
    '': event.isSubject ? '>' : '',
    distance:
      distance === 0
        ? ''
        : `${sign}${Math.abs(distance) < 1000 ? `${Math.abs(distance)} ms` : formatDuration(Math.abs(distance))}`,
  };
  const time = formatTime(event.at);
  if ('order' in event)
    return { ...when, what: 'order', id: event.order.orderId, time, order: '', stage: '', model: '', explanation: '' };
  const { entryId: id, orderId: order, stage, model } = event.entry;
  return { ...when, what: 'log', id, time, order, stage, model, explanation: explanationOf(event.entry) };
};

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
      const list = file === undefined ? undefined : readOrders(resolve(terminal.cwd(), file), timeZone);
      if (file !== undefined && list) explainOrders(terminal, file, list);
      const orders = list?.orders.map(({ uid, orderId, placedAt }): Order => ({ uid, orderId, at: placedAt }));
      await withTarget(terminal, where, async (target) => {
        const owners = owner === undefined ? undefined : [owner];
        await requireKnownUids(target, owners);
        const center =
          'orderId' in wanted
            ? await findOrder(target, wanted.orderId, { orders, owner })
            : await findEntry(target, wanted.entryId, owners).then((entry) => ({
                uid: entry.uid,
                at: Number(entry.timestamp),
                entryId: entry.entryId,
              }));
        const [since, until] = [center.at - width, center.at + width];
        const logs = await readLogs(terminal, target, { uids: [center.uid], since, until: until + 1 });
        const near = orders?.filter(({ uid: of, at }) => of === center.uid && at >= since && at <= until) ?? [];
        const events: Event[] = [
          ...near.map((order) => ({
            order,
            at: order.at,
            isSubject: 'orderId' in wanted && order.orderId === wanted.orderId,
          })),
          ...logs.map((entry) => ({
            entry,
            at: Number(entry.timestamp),
            isSubject:
              'entryId' in center
                ? entry.entryId === center.entryId
                : String(entry.orderId) === ('orderId' in wanted ? wanted.orderId : ''),
          })),
        ].sort((a, b) => a.at - b.at);
        if (json) return terminal.json(events.map((event) => describeEvent(event, center.at)));
        await terminal.table(
          events.map((event) => rowOf(event, center.at)),
          { lastWidth: 30 },
        );
        const shown = `UID ${center.uid}, ${formatTime(since)} to ${formatTime(until)}: ${counted(logs.length, 'log')}`;
        terminal.note(
          orders === undefined
            ? `${shown}. --orders FILE adds the orders.`
            : `${shown}, ${counted(near.length, 'order')}.`,
        );
      });
    });
