import { type Related, sayRelated } from '../../review/figures/repeats.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatInstant } from '../../shell/text/time.ts';
import type { Figures } from './openView.ts';
import { type Console, type Query, query, textIn } from './state.ts';

/** A row of `order.sql`. `other`: its log says another trade. */
type OrderRow = Readonly<Record<'order_id' | 'timing', string> & { placed_at: number; other: boolean | null }> &
  Readonly<Record<'entry_id' | 'before_id' | 'after_id' | 'symbol' | 'side' | 'others', string | null>> &
  Readonly<Record<'log_side' | 'log_coin' | 'parent_id', string | null>> &
  Readonly<Record<'log_at' | 'before_at' | 'after_at' | 'delay' | 'size' | 'price' | 'value' | 'times', number | null>>;

type LogRow = Readonly<Record<'order_id' | 'placed_by', string | null>> &
  Readonly<Record<'signed_at' | 'received_at', number>>;

type RepeatedRow = Related & Readonly<Record<'of_uid' | 'of_id', string>> & { readonly users: string | null };

const afterOrder = (ms: number) => `${formatDuration(Math.abs(ms))} ${ms < 0 ? 'before' : 'after'} the order`;
const present = <Value>(facts: readonly (readonly [string, Value | null | undefined])[]) =>
  facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, String(value)] as const]));

const logOf = (name: string, uid: string, entryId: string | null | undefined) =>
  entryId ? [{ name, uid, entryId }] : [];

async function describeOrder({ engine }: Figures, uid: string, id: string) {
  const [row] = await query<OrderRow>(engine, 'order', { uid, id: BigInt(id) });
  if (!row) return undefined;
  const { entry_id, placed_at, delay } = row;
  const since = (at: number | null) => (at ?? placed_at) - placed_at;
  // An order with a log of its own needs no others to explain it. Of the others, the nearest explains it best.
  const logs =
    entry_id === null
      ? ([
          ['last log before', row.before_id, since(row.before_at)],
          ['first log after', row.after_id, since(row.after_at)],
        ] as const)
      : ([['its log', entry_id, since(row.log_at)]] as const);
  return {
    title: `Order ${row.order_id}`,
    facts: present<string | number>([
      ['placed', formatInstant(placed_at)],
      ['timing', row.timing],
      ['log signed', delay === null ? null : afterOrder(delay)],
      ['symbol', row.symbol],
      ['side', row.side],
      ['its log says', row.other ? [row.log_side, row.log_coin].filter(Boolean).join(' ') : null],
      ['size', row.size],
      ['price', row.price],
      ['value', row.value === null ? null : Number(row.value.toPrecision(12))],
      ['child order of', row.parent_id],
      ['times its size', row.times === null ? null : Number(row.times.toPrecision(3))],
      ['named by others', row.others],
    ]),
    logs: logs
      .toSorted(([, , one], [, , other]) => Math.abs(one) - Math.abs(other))
      .flatMap(([name, id, ms]) => logOf(`${name}, ${afterOrder(ms)}`, uid, id)),
  };
}

async function describeSilence({ engine, teams }: Figures, uid: string, id: string) {
  const silences = teams.find((team) => team.uid === uid)?.silences ?? [];
  const at = Number(id);
  const silence = silences.find(({ from }) => Date.parse(from ?? '') === at);
  if (!silence) return undefined;
  const [beside] = await query<Record<'before_id' | 'after_id', string | null>>(engine, 'beside', { uid, at });
  return {
    title: `Silence of ${formatDuration(silence.seconds * 1000)}`,
    facts: present<string | number>([
      ['from', silence.from],
      ['until', silence.until],
      ['orders in it', silence.orders],
    ]),
    logs: [...logOf('last log before', uid, beside?.before_id), ...logOf('first log after', uid, beside?.after_id)],
  };
}

async function describeLog({ engine }: Figures, uid: string, id: string) {
  const [row] = await query<LogRow>(engine, 'log', { uid, id });
  if (!row) return undefined;
  const repeated = await query<RepeatedRow>(engine, 'repeated', { uid, id });
  return {
    title: `Log ${id}`,
    facts: present([
      ['signed', formatInstant(row.signed_at)],
      ['received', formatInstant(row.received_at)],
      ['names order', row.order_id],
      ['placed by', row.order_id === null ? null : (row.placed_by ?? 'nobody in the order list')],
      ...repeated.map(
        (row) => ['repeats', sayRelated(row, (row.relation === 'shared' && row.users) || row.of_uid)] as const,
      ),
    ]),
    logs: [
      { name: 'this log', uid, entryId: id },
      ...repeated.flatMap(({ relation, of_uid, of_id }) =>
        logOf(relation === 'own' ? 'its earlier one' : `that of ${of_uid}`, of_uid, of_id),
      ),
    ],
  };
}

const DESCRIBE = { o: describeOrder, s: describeSilence, e: describeLog };

/** Describes what `at` names: an order (o…), a silence (s…) or a log (e…) of a team, with logs to open beside it. */
export const readDetail = ({ views }: Console, asked: Query) =>
  views.use(async (figures) => {
    const uid = textIn(asked, 'uid');
    const at = textIn(asked, 'at');
    const [, letter, id = ''] = /^([os](?=\d{1,19}$)|e)(.+)$/.exec(at) ?? [];
    const detail = letter && (await DESCRIBE[letter as keyof typeof DESCRIBE](figures, uid, id));
    if (detail) return detail;
    throw new Failure('negative', `UID ${uid} has no such order, silence or log: ${at}.`, {
      advice: 'It may be outside of the period, or in an order list that is not loaded.',
    });
  });
