import { type Cell, csvLine } from '../../shell/text/csvLine.ts';
import type { OrderReport, TeamReport } from './reviewTeams.ts';

/** Formats records as CSV: a line with the names of the columns, then a line per record. There is at least one. */
const formatLines = (records: readonly Readonly<Record<string, Cell | null>>[]): string =>
  [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record).map((cell) => cell ?? undefined))]
    .map(csvLine)
    .join('');

/** The cells of the figures that are more than one value. Figures without any are left out. */
const cellsOf = ({ team, lookAt, facts, missing, silences: [silence] }: TeamReport): Record<string, object> => ({
  team: { team: { freeText: team ?? '' } },
  lookAt: { lookAt: lookAt.join(' | ') },
  facts: { facts: facts.join(' | ') },
  missing: { missingModelVersion: missing.modelVersion, missingData: missing.data, missingOrder: missing.order },
  silences: { silenceSeconds: silence?.seconds ?? 0, silenceFrom: silence?.from ?? null },
  perDay: {},
  models: {},
  stages: {},
});

export const formatTeams = (teams: readonly TeamReport[]): string =>
  formatLines(
    teams.map((team) => {
      const cells = cellsOf(team);
      const figures = Object.entries(team).map(([name, value]) => cells[name] ?? { [name]: value });
      return Object.assign({}, ...figures);
    }),
  );

const orderCells: Readonly<Record<string, (order: OrderReport) => Cell | null>> = {
  uid: ({ uid }) => uid,
  orderId: ({ orderId }) => orderId,
  placed: ({ placed }) => placed,
  timing: ({ timing }) => timing,
  trade: ({ trade }) => trade,
  logSays: ({ logSays }) => logSays,
  parentOrder: ({ parentOrder }) => parentOrder,
  delaySeconds: ({ delaySeconds }) => delaySeconds,
  signed: ({ log }) => log?.signed ?? null,
  entryId: ({ log }) => log?.entryId ?? null,
  logBefore: ({ logBefore }) => logBefore?.entryId ?? null,
  logBeforeSigned: ({ logBefore }) => logBefore?.signed ?? null,
  logAfter: ({ logAfter }) => logAfter?.entryId ?? null,
  logAfterSigned: ({ logAfter }) => logAfter?.signed ?? null,
  namedByOthers: ({ namedByOthers }) => namedByOthers.join(' '),
  symbol: ({ symbol }) => ({ freeText: symbol ?? '' }),
  side: ({ side }) => ({ freeText: side ?? '' }),
  size: ({ size }) => size,
  price: ({ price }) => price,
};

/** Formats orders as CSV: a line with the names of the columns, even if there are no orders, then a line per order. */
export async function* formatOrders(orders: AsyncIterable<OrderReport>): AsyncGenerator<string> {
  yield csvLine(Object.keys(orderCells));
  for await (const order of orders)
    yield csvLine(Object.values(orderCells).map((cellOf) => cellOf(order) ?? undefined));
}
