/** The limits of a review, each in one place. `makeFigures` gives them to SQL, the console to its page. */
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';

/** The time from an order to its log, unless `--within` or an announced rule gives another, in milliseconds. */
export const WITHIN_MS = 60_000;

/** A log that precedes its order by more is early, in milliseconds: the clocks of teams may differ that much. */
export const TOLERANCE_MS = CLOCK_TOLERANCE_MS;

/** A log that is signed longer than this after the period belongs to no order of it, in milliseconds. */
export const LATEST_LOG_MS = 7 * 86_400_000;

/**
 * The difference between two times of receipt up to which nobody can say who was first, in milliseconds: an upload that
 * is resent arrives up to 30 s later, and two logs about one event are written within seconds.
 */
export const SAME_TIME_MS = 60_000;

/**
 * How long after its parent, or after the child before it, an order is a child order, in milliseconds. `--child-gap`
 * gives another time. Slices of an execution come minutes apart.
 */
export const CHILD_GAP_MS = 10 * 60_000;

/** The fewest different logs of a team whose repeats by another team are a reason: two may be chance. */
export const LEAST_COPIES = 3;

/**
 * A team follows another if its short logs nearly equal those that the other team sent up to FOLLOW_WITHIN_MS before:
 * in LEAST_FOLLOWS more cases than FOLLOW_TIMES times the cases that shifted times give.
 */
export const FOLLOW_WITHIN_MS = 24 * 60 * 60_000;
export const LEAST_FOLLOWS = 10;
export const FOLLOW_TIMES = 3;

/** The limits that no option gives, by their names in SQL. Times are in milliseconds. */
export const SQL_LIMITS = {
  tolerance: TOLERANCE_MS,
  same_time: SAME_TIME_MS,
  /** How long after its parent an order of another symbol is a child order, as a leg of the trade. */
  at_once: 2000,
  most_children: 50,
  /** A child order has at most so many times the size of its parent: slices differ, a stop covers several entries. */
  child_size: 10,
  /** The time around an order in which another one may be what its log is about. */
  trade_gap: 10 * 60_000,
  /** The logs of an author with one text and other data from which on the text is a frame, which nobody copies. */
  frame_logs: 3,
  /** The letters from which on an equal text of two teams is no chance: answers of 20 words are shorter. */
  equal_prose: 150,
  /**
   * The letters from which on a text is long, and the time from which on a long text with other data fills a template.
   * The answers of models with a schema and one sentence are shorter, a paragraph as output and explanation is longer.
   * The parts of one decision have one text, too, and are signed within minutes.
   */
  long_prose: 400,
  template_after: 60 * 60_000,
  follow_within: FOLLOW_WITHIN_MS,
  least_follows: LEAST_FOLLOWS,
  follow_times: FOLLOW_TIMES,
  /** The silences of a team that are kept, the longest ones. */
  silences_kept: 20,
};

/** The numbers from which on a reason holds whatever the share is: a team can make a share small with other logs. */
export const MANY_COPIES = 20;
export const MANY_REPEATS = 40;

/** The fewest orders of which logs tell another trade that are a fact: one or two may be mistyped. */
export const LEAST_OTHER_TRADES = 3;

/** The times of the field's median of logs for each order, and the logs, from which on these are many. */
export const MANY_TIMES = 5;
export const MANY_LOGS = 200;

/** The silences of a team that tables and strips show, the longest ones. */
export const SHOWN_SILENCES = 5;

/** The shortest silence among the findings of a timeline, in milliseconds: shorter ones are between two orders. */
export const FOUND_SILENCE_MS = 10 * 60_000;

/** From this silence on, or pause without an order list, a team is silent, in hours. */
export const SILENT_HOURS = 1;
export const SILENT_HOURS_WITHOUT_ORDERS = 12;
