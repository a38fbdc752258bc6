import { type Cell, csvLine } from '../terminal/csv.ts';
import type { OrderReport, TeamReport } from './describeTeam.ts';

/** Formats records as CSV: a line with the names of the columns, then a line per record. */
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

/** Formats orders as CSV, one line per order. */
export const formatOrders = (orders: readonly OrderReport[]): string =>
  formatLines(
    orders.map(({ uid, orderId, placed, timing, delaySeconds, log, logBefore, logAfter, namedByOthers }) => ({
      uid: uid,
      orderId: orderId,
      placed,
      timing,
      delaySeconds,
      signed: log?.signed ?? null,
      entryId: log?.entryId ?? null,
      logBefore: logBefore?.entryId ?? null,
      logBeforeSigned: logBefore?.signed ?? null,
      logAfter: logAfter?.entryId ?? null,
      logAfterSigned: logAfter?.signed ?? null,
      namedByOthers: namedByOthers.join(' '),
    })),
  );
