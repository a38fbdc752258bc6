/** The limits of a review, each in one place. `makeFigures` gives them to SQL, the console to its page. */
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';

/** The competition's time limit from an order to its log, unless `--within` gives another, in milliseconds. */
export const WITHIN_MS = 60_000;

/** A log that precedes its order by more is early, in milliseconds: the clocks of teams may differ that much. */
export const TOLERANCE_MS = CLOCK_TOLERANCE_MS;

/**
 * The difference between two times of receipt up to which nobody can say which of two teams was first, in milliseconds.
 * An upload that is resent after a timeout arrives up to 30 s later, and two logs about one event are written within
 * seconds.
 */
export const SAME_TIME_MS = 60_000;

/** The silences of a team that are kept, the longest ones, and how many of these tables and strips show. */
export const KEPT_SILENCES = 20;
export const SHOWN_SILENCES = 5;

/** The shortest silence among the findings of a timeline, in milliseconds: shorter ones are between two orders. */
export const FOUND_SILENCE_MS = 10 * 60_000;

/** From this silence on, or pause without an order list, a team is silent, in hours. */
export const SILENT_HOURS = 1;
export const SILENT_HOURS_WITHOUT_ORDERS = 12;
