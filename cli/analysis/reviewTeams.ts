import { type Activity, addActivity, createActivity } from './activity.ts';
import { addCompleteness, type Completeness, createCompleteness } from './completeness.ts';
import { type Coverage, measureCoverage, type ReviewedOrder, reviewOrders, type TlogList } from './coverage.ts';
import { type DelayLimits, type DelaySummary, measureDelays } from './delay.ts';
import { countedFacts } from './logFacts.ts';
import type { Order } from './order.ts';
import { type ContestedOrder, claimsToCheck, collectClaims, countForeign, findContestedOrders } from './orderClaims.ts';
import { isWithin, type Period } from './period.ts';
import { type Reason, reasonsToLook, type TeamFigures } from './reasonsToLook.ts';
import { countRepeats, createRepetitionFinder, type RepeatCounts, type RepeatGroup } from './repetition.ts';
import type { SignedLog } from './signedLog.ts';
import { createSignedLogs, type SignedLogColumns } from './signedLogs.ts';
import { findPauses, findSilences, type Silence } from './silence.ts';
import { sortByTeam } from './sortByTeam.ts';

/** A log as the review reads it. */
export interface ReviewedLog extends SignedLog {
  readonly model: string;
  readonly stage: string;
}

/** The limits of a review. */
export interface ReviewLimits extends DelayLimits {
  /** The first and last time that counts, in milliseconds since 1970. Absent: that of any order or log. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** True: the period is that of the logs of the reviewed teams. Default: that of all orders and logs. */
  readonly ownPeriod?: boolean | undefined;
}

/** The figures of one team. Those of orders are absent if there is no order list. */
export interface TeamReview {
  readonly uid: string;
  readonly activity: Activity;
  readonly completeness: Completeness;
  /** The times of the first and last signature, in milliseconds since 1970. Absent: no log. */
  readonly first?: number;
  readonly last?: number;
  /** Logs that name an order. */
  readonly withOrder: number;
  /** Without an order list: pauses. The longest first, at most `LONGEST_SILENCES`. */
  readonly silences: readonly Silence[];
  readonly repeats: RepeatCounts | undefined;
  /** Logs with invisible characters in their words. */
  readonly hiddenCharacters: number;
  /** Logs of whose text only a part was compared. */
  readonly cutTexts: number;
  /** Contested orders that the team claims and did not place. */
  readonly foreignOrders: number;
  readonly orders?: readonly ReviewedOrder[];
  readonly coverage?: Coverage;
  readonly delays?: DelaySummary;
  /** The figures that decide what to look at. */
  readonly figures: TeamFigures;
  readonly lookAt: readonly Reason[];
}

/** The review of all teams. */
export interface Review {
  readonly period: Period;
  readonly teams: readonly TeamReview[];
  readonly groups: readonly RepeatGroup[];
  readonly contested: readonly ContestedOrder[];
}

/** The number of silences that a review keeps. */
const LONGEST_SILENCES = 20;

const total = (counts: Readonly<Record<string, number>> | undefined) =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/**
 * Returns the number of logs of a team that repeat an earlier log of its own, an earlier one of another team, and one
 * of another team that was received at the same time.
 */
export const repeatTotals = (repeats: RepeatCounts | undefined) => ({
  ownRepeats: total(repeats?.own),
  copies: total(repeats?.copy),
  sameTime: total(repeats?.sameTime),
});

/** Returns the period of a review: from the first to the last order or log, unless limits are given. */
function periodOf(times: Iterable<number>, { since, until }: ReviewLimits): Period {
  let [from, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [from, last] = [Math.min(from, time), Math.max(last, time)];
  if (from > last) from = last = since ?? until ?? 0;
  return { from: since ?? from, until: until ?? last + 1 };
}

/** Returns logs by their numbers. */
const listOf = ({ at }: SignedLogColumns, numbers: Uint32Array): TlogList => ({
  length: numbers.length,
  at: (index) => (index < numbers.length ? at(numbers[index] as number) : undefined),
});

/** Returns true if a log or an order counts for the figures of its team. @param at milliseconds since 1970 */
export const isInLimits = (
  at: number,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: Pick<ReviewLimits, 'since' | 'until'>,
): boolean => at >= since && at < until;

/**
 * Collects the logs of all teams, and reviews them together with the orders. Add the logs of each team in one order,
 * then call `review` once. Logs outside the period count only as logs of the orders in it: an order at the end of the
 * period may have its log after it. About 200 bytes per log are kept.
 */
export function createReview(limits: ReviewLimits) {
  const logs = createSignedLogs();
  const facts = new Map<
    string,
    { activity: Activity; completeness: Completeness; texts: { hidden: number; cut: number } }
  >();
  const repetition = createRepetitionFinder();
  const factsOf = (uid: string) => {
    const known = facts.get(uid) ?? {
      activity: createActivity(),
      completeness: createCompleteness(),
      texts: { hidden: 0, cut: 0 },
    };
    facts.set(uid, known);
    return known;
  };

  return {
    /** Adds a log. @param readFactsOf returns a row of `writeFacts`; it is called only if the log is in the period */
    add(log: ReviewedLog, readFactsOf: () => Uint8Array): void {
      const number = logs.add(log);
      if (!isInLimits(log.signedAt, limits)) return;
      const row = readFactsOf();
      const { activity, completeness, texts } = factsOf(log.uid);
      const { hasData, hasHiddenCharacters, isCut } = countedFacts(row);
      addActivity(activity, log);
      addCompleteness(completeness, { model: log.model, hasData, namesOrder: log.orderId !== undefined });
      texts.hidden += Number(hasHiddenCharacters);
      texts.cut += Number(isCut);
      repetition.add(number, row);
    },

    uids: (): string[] => [...logs.uids()],

    /**
     * Reviews the teams.
     * @param uids the teams; all logs that were added are compared, those of other teams too
     * @param list the orders of all teams; undefined if they are not known
     */
    review(uids: readonly string[], list: readonly Order[] | undefined): Review {
      const columns = logs.columns();
      const { order, starts } = sortByTeam(columns);
      const numberOf = new Map(columns.uids.map((uid, number) => [uid, number]));
      const counted = columns.uids.map((uid) => !limits.ownPeriod || uids.includes(uid));
      const times = function* () {
        for (const [index, signedAt] of columns.signedAt.entries()) {
          if (counted[columns.team[index] as number] && isInLimits(signedAt, limits)) yield signedAt;
        }
        for (const { placedAt } of list ?? []) if (isInLimits(placedAt, limits)) yield placedAt;
      };
      const period = periodOf(times(), limits);
      const owners = new Map(list?.map(({ orderId, uid }) => [orderId, uid]));
      const claims = collectClaims(claimsToCheck(columns, order, (orderId) => owners.has(orderId)));
      const contested = findContestedOrders(claims, (orderId) => owners.get(orderId));
      const groups = repetition.find(columns);
      const repeats = countRepeats(groups);
      const listed = list && new Map<string, Order[]>();
      for (const one of list ?? []) {
        if (!isWithin(one.placedAt, period)) continue;
        const ofUid = listed?.get(one.uid);
        if (ofUid) ofUid.push(one);
        else listed?.set(one.uid, [one]);
      }

      const reviewTeam = (uid: string): TeamReview => {
        const number = numberOf.get(uid);
        const ofTeam = number === undefined ? order.subarray(0, 0) : order.subarray(starts[number], starts[number + 1]);
        const signed = Float64Array.from(ofTeam, (index) => columns.signedAt[index] as number);
        const inPeriod = signed.filter((signedAt) => isWithin(signedAt, period));
        const [first, last] = [inPeriod[0], inPeriod.at(-1)];
        const placed = listed && [...(listed.get(uid) ?? [])].sort((a, b) => a.placedAt - b.placedAt);
        const orders =
          placed &&
          reviewOrders(placed, listOf(columns, ofTeam), (orderId) =>
            (claims.get(orderId) ?? []).map((claim) => claim.uid),
          );
        const coverage = orders && measureCoverage(orders, limits.within);
        const delays = orders && measureDelays(orders, limits);
        const silences = placed
          ? findSilences(
              signed,
              placed.map(({ placedAt }) => placedAt),
              { period, grace: limits.within },
            )
          : findPauses(signed, period);
        const { activity, completeness, texts } = factsOf(uid);
        const foreignOrders = countForeign(contested, uid);
        const longest = silences[0] ?? { from: 0, until: 0 };
        const figures: TeamFigures = {
          entries: activity.logs,
          coverage,
          delays,
          longestSilence: longest.until - longest.from,
          ...repeatTotals(repeats.get(uid)),
          foreignOrders,
          hiddenCharacters: texts.hidden,
          withoutVersionOrData: completeness.withoutVersionOrData,
        };
        return {
          uid,
          activity,
          completeness,
          ...(first !== undefined && last !== undefined && { first, last }),
          withOrder: activity.logs - completeness.missing.order,
          silences: silences.slice(0, LONGEST_SILENCES),
          repeats: repeats.get(uid),
          hiddenCharacters: texts.hidden,
          cutTexts: texts.cut,
          foreignOrders,
          ...(orders && coverage && delays && { orders, coverage, delays }),
          figures,
          lookAt: reasonsToLook(figures),
        };
      };
      return { period, teams: uids.map(reviewTeam), groups, contested };
    },
  };
}
