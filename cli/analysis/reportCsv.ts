import { type Cell, csvLine } from '../files/csv.ts';
import type { OrderReport, TeamReport } from './describeTeam.ts';

/** Formats records as CSV: a line with the names of the columns, then a line per record. There is at least one. */
const formatLines = (records: readonly Readonly<Record<string, Cell | null>>[]): string =>
  [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record).map((cell) => cell ?? undefined))]
    .map(csvLine)
    .join('');

/** Formats teams as CSV, one line per team and one value per cell. */
export const formatTeams = (teams: readonly TeamReport[]): string =>
  formatLines(
    teams.map((team) => ({
      uid: team.uid,
      team: { freeText: team.team ?? '' },
      status: team.status,
      lookAt: team.lookAt.join(' | '),
      entries: team.entries,
      first: team.first,
      last: team.last,
      withOrder: team.withOrder,
      withOrderPercent: team.withOrderPercent,
      complete: team.complete,
      missingModelVersion: team.missing.modelVersion,
      missingData: team.missing.data,
      missingOrder: team.missing.order,
      silenceSeconds: team.silences[0]?.seconds ?? 0,
      silenceFrom: team.silences[0]?.from ?? null,
      ownRepeats: team.ownRepeats,
      copies: team.copies,
      sameTime: team.sameTime,
      hiddenCharacters: team.hiddenCharacters,
      cutTexts: team.cutTexts,
      foreignOrders: team.foreignOrders,
      ...(team.orders !== undefined && {
        orders: team.orders,
        ordersWithLog: team.ordersWithLog,
        coveragePercent: team.coveragePercent,
        ordersOnlyNear: team.ordersOnlyNear,
        ordersWithoutLog: team.ordersWithoutLog,
        ordersOnlyOthers: team.ordersOnlyOthers,
        late: team.late,
        early: team.early,
        medianDelaySeconds: team.medianDelaySeconds,
        p95DelaySeconds: team.p95DelaySeconds,
      }),
    })),
  );

/** The value of each column of an order, in the order of the columns. */
const orderCells: Readonly<Record<string, (order: OrderReport) => Cell | null>> = {
  uid: ({ uid }) => uid,
  orderId: ({ orderId }) => orderId,
  placed: ({ placed }) => placed,
  timing: ({ timing }) => timing,
  delaySeconds: ({ delaySeconds }) => delaySeconds,
  signed: ({ log }) => log?.signed ?? null,
  entryId: ({ log }) => log?.entryId ?? null,
  logBefore: ({ logBefore }) => logBefore?.entryId ?? null,
  logBeforeSigned: ({ logBefore }) => logBefore?.signed ?? null,
  logAfter: ({ logAfter }) => logAfter?.entryId ?? null,
  logAfterSigned: ({ logAfter }) => logAfter?.signed ?? null,
  namedByOthers: ({ namedByOthers }) => namedByOthers.join(' '),
};

/** Formats orders as CSV: a line with the names of the columns, even if there are no orders, then a line per order. */
export const formatOrders = (orders: readonly OrderReport[]): string =>
  [
    Object.keys(orderCells),
    ...orders.map((order) => Object.values(orderCells).map((cellOf) => cellOf(order) ?? undefined)),
  ]
    .map(csvLine)
    .join('');
