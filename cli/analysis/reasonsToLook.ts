import type { Coverage } from './coverage.ts';
import type { DelaySummary } from './delay.ts';

const MINUTE = 60_000;

/**
 * The figures of a team that decide whether a reviewer should look. Counts of logs or orders, times in milliseconds.
 */
export interface TeamFigures {
  readonly entries: number;
  /** Absent if there is no order list. */
  readonly coverage?: Coverage | undefined;
  /** Absent if there is no order list. */
  readonly delays?: DelaySummary | undefined;
  readonly longestSilence: number;
  readonly ownRepeats: number;
  readonly copies: number;
  /** Logs that repeat a log of another team that was received at the same time. */
  readonly sameTime: number;
  /** Logs with invisible characters in their words. */
  readonly hiddenCharacters: number;
  /** Contested orders that the team did not place. */
  readonly foreignOrders: number;
  /** Logs without a model version, or without input or output data. */
  readonly withoutVersionOrData: number;
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/**
 * The reasons to look at a team, each with its threshold. They are not verdicts: docs/review.md says what else can
 * explain them.
 */
export const reasons = {
  'no entries': {
    when: 'orders, or no order list, and not one log',
    applies: ({ entries, coverage }) => entries === 0 && coverage?.orders !== 0,
  },
  late: {
    when: 'more than 5 % of the logged orders are late',
    applies: ({ coverage, delays }) => share(delays?.late ?? 0, coverage?.logged ?? 0) > 0.05,
  },
  early: {
    when: 'more than 5 % of the logged orders are early',
    applies: ({ coverage, delays }) => share(delays?.early ?? 0, coverage?.logged ?? 0) > 0.05,
  },
  'no log near': {
    when: 'more than 10 % of the orders have no log that names them and no log near them',
    applies: ({ entries, coverage }) => entries > 0 && share(coverage?.withoutLog ?? 0, coverage?.orders ?? 0) > 0.1,
  },
  'few named': {
    when: 'logs name less than half of the orders',
    applies: ({ entries, coverage }) =>
      entries > 0 && coverage !== undefined && coverage.orders > 0 && share(coverage.logged, coverage.orders) < 0.5,
  },
  silent: {
    when: 'a silence of an hour or more; without an order list, a pause of 12 hours or more',
    applies: ({ entries, coverage, longestSilence }) => entries > 0 && longestSilence >= (coverage ? 60 : 720) * MINUTE,
  },
  repeats: {
    when: 'at least 20 % of the logs repeat an earlier log of the team',
    applies: ({ entries, ownRepeats }) => share(ownRepeats, entries) >= 0.2,
  },
  copies: {
    when: 'more than 5 % of the logs repeat a log of another team that was received more than 60 s earlier',
    applies: ({ entries, copies }) => share(copies, entries) > 0.05,
  },
  'same time': {
    when: 'more than 5 % of the logs repeat a log of another team that was received at the same time',
    applies: ({ entries, sameTime }) => share(sameTime, entries) > 0.05,
  },
  'hidden characters': {
    when: 'more than 5 % of the logs have invisible characters in three words or more',
    applies: ({ entries, hiddenCharacters }) => share(hiddenCharacters, entries) > 0.05,
  },
  "others' orders": {
    when: 'a log names an order of another team, or an order that another team names too and no order list contains',
    applies: ({ foreignOrders }) => foreignOrders > 0,
  },
  incomplete: {
    when: 'more than half of the logs lack a model version or data',
    applies: ({ entries, withoutVersionOrData }) => share(withoutVersionOrData, entries) > 0.5,
  },
} as const satisfies Record<string, { when: string; applies: (figures: TeamFigures) => boolean }>;

/** A reason to look at a team. */
export type Reason = keyof typeof reasons;

/** Returns the reasons to look at a team. */
export const reasonsToLook = (figures: TeamFigures): Reason[] =>
  (Object.keys(reasons) as Reason[]).filter((reason) => reasons[reason].applies(figures));
