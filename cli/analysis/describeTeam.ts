import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import type { ReviewedOrder } from './coverage.ts';
import { type DelayLimits, delayOf, timingOf } from './delay.ts';
import { repeatTotals, type TeamReview } from './reviewTeams.ts';
import type { SignedLog } from './signedLog.ts';

/** The report on a team, as `--json` prints it. Shares are in percent, times are ISO 8601 in UTC. */
export type TeamReport = ReturnType<typeof describeTeam>;

/** The report on an order. */
export type OrderReport = ReturnType<typeof describeOrder>;

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

/** Sorts counts by name, the most frequent first. */
const byFrequency = (counts: ReadonlyMap<string, number>) =>
  Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));

const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

const seconds = (ms: number | undefined) => (ms === undefined ? null : ms / 1000);

const logOf = (log: SignedLog | undefined) => log && { entryId: log.entryId, signed: timeOf(log.signedAt) };

function describeOrder(order: ReviewedOrder, limits: DelayLimits) {
  const { log, before, after, namedByOthers } = order;
  return {
    uid: order.order.uid,
    orderId: order.order.orderId,
    placed: new Date(order.order.placedAt).toISOString(),
    timing: timingOf(order, limits),
    delaySeconds: seconds(delayOf(order)),
    log: logOf(log) ?? null,
    // An order with a log of its own needs no others to explain it.
    logBefore: (log ? undefined : logOf(before)) ?? null,
    logAfter: (log ? undefined : logOf(after)) ?? null,
    namedByOthers,
  };
}

/** Describes a team. */
export function describeTeam(review: TeamReview, allowlistEntry: AllowlistEntry | undefined, limits: DelayLimits) {
  const { uid, activity, completeness, coverage, delays, repeats, silences, orders } = review;
  return {
    uid,
    team: allowlistEntry?.team ?? null,
    status: allowlistEntry?.status ?? 'not listed',
    lookAt: review.lookAt,
    entries: activity.logs,
    first: timeOf(review.first),
    last: timeOf(review.last),
    perDay: Object.fromEntries([...activity.days].sort()),
    models: byFrequency(activity.models),
    stages: byFrequency(activity.stages),
    withOrder: review.withOrder,
    withOrderPercent: percent(review.withOrder, activity.logs),
    complete: completeness.complete,
    missing: completeness.missing,
    silences: silences.map(({ from, until, orders }) => ({
      seconds: Math.round((until - from) / 1000),
      from: timeOf(from),
      until: timeOf(until),
      orders,
    })),
    ...repeatTotals(repeats),
    ownRepeatsByKind: repeats?.own ?? null,
    copiesByKind: repeats?.copy ?? null,
    sameTimeByKind: repeats?.sameTime ?? null,
    hiddenCharacters: review.hiddenCharacters,
    cutTexts: review.cutTexts,
    foreignOrders: review.foreignOrders,
    ...(coverage &&
      delays && {
        orders: coverage.orders,
        ordersWithLog: coverage.logged,
        coveragePercent: percent(coverage.logged, coverage.orders),
        ordersOnlyNear: coverage.onlyNear,
        ordersWithoutLog: coverage.withoutLog,
        ordersOnlyOthers: coverage.onlyOthers,
        late: delays.late,
        early: delays.early,
        medianDelaySeconds: seconds(delays.median),
        p95DelaySeconds: seconds(delays.p95),
        orderList: (orders ?? []).map((order) => describeOrder(order, limits)),
      }),
  };
}
