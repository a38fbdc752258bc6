import type { TeamFigures } from './figures.ts';

const HOUR_SECONDS = 3600;

const share = (part = 0, whole = 0) => (whole === 0 ? 0 : part / whole);

/**
 * The reasons to look at a team, each with its threshold. They are not verdicts: docs/review.md says what else can
 * explain them.
 */
export const reasons = {
  'no entries': {
    when: 'orders, or no order list, and not one log',
    applies: ({ entries, orders }) => entries === 0 && orders !== 0,
  },
  late: {
    when: 'more than 5 % of the logged orders are late',
    applies: ({ late, ordersWithLog }) => share(late, ordersWithLog) > 0.05,
  },
  early: {
    when: 'more than 5 % of the logged orders are early',
    applies: ({ early, ordersWithLog }) => share(early, ordersWithLog) > 0.05,
  },
  'no log near': {
    when: 'more than 10 % of the orders have no log that names them and no log near them',
    applies: ({ entries, ordersWithoutLog, orders }) => entries > 0 && share(ordersWithoutLog, orders) > 0.1,
  },
  'few named': {
    when: 'logs name less than half of the orders',
    applies: ({ entries, orders = 0, ordersWithLog }) =>
      entries > 0 && orders > 0 && share(ordersWithLog, orders) < 0.5,
  },
  silent: {
    when: 'a silence of an hour or more; without an order list, a pause of 12 hours or more',
    applies: ({ entries, orders, silences }) =>
      entries > 0 && (silences[0]?.seconds ?? 0) >= (orders === undefined ? 12 : 1) * HOUR_SECONDS,
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
    applies: ({ entries, missing }) => share(missing.versionOrData, entries) > 0.5,
  },
} as const satisfies Record<string, { when: string; applies: (figures: TeamFigures) => boolean }>;

/** A reason to look at a team. */
export type Reason = keyof typeof reasons;

/** Returns the reasons to look at a team. */
export const reasonsToLook = (figures: TeamFigures): Reason[] =>
  (Object.keys(reasons) as Reason[]).filter((reason) => reasons[reason].applies(figures));
