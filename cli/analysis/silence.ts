import { positionFrom } from '../text/numbers.ts';
import type { Period } from './period.ts';

/** A span of time without a log of the team. */
export interface Silence extends Period {
  /** The team's orders in it. */
  readonly orders: number;
}

const longestFirst = (silences: Silence[]) => silences.sort((a, b) => b.until - b.from - (a.until - a.from));

/**
 * Finds the times in which a team traded and signed no log, the longest first. A silence begins with the first order
 * that was placed more than `grace` after the team's last log. It ends with the team's next log, or with the period. A
 * pause without orders is not a silence.
 * @param signed the times of all the team's logs, ascending
 * @param placed the times of its orders in the period, ascending
 * @param grace milliseconds
 */
export function findSilences(
  signed: ArrayLike<number>,
  placed: readonly number[],
  { period, grace }: { period: Period; grace: number },
): Silence[] {
  const byNextLog = new Map<number, Silence>();
  for (const at of placed) {
    const next = positionFrom(signed, at);
    const before = signed[next - 1];
    if (signed[next] === at || (before !== undefined && at - before <= grace)) continue;
    const until = Math.min(signed[next] ?? period.until, period.until);
    const { from, orders } = byNextLog.get(next) ?? { from: at, orders: 0 };
    byNextLog.set(next, { from, until, orders: orders + 1 });
  }
  return longestFirst([...byNextLog.values()]);
}

/**
 * Finds the times without a log from the start to the end of the period, the longest first. It is for teams whose
 * orders are not known: a pause without trading counts too.
 * @param signed the times of the team's logs, ascending
 */
export function findPauses(signed: Iterable<number>, { from, until }: Period): Silence[] {
  const marks = [from, ...Array.from(signed).filter((at) => at > from && at < until), until];
  const pauses = marks.slice(1).map((mark, index) => ({ from: marks[index] as number, until: mark, orders: 0 }));
  return longestFirst(pauses.filter((pause) => pause.until > pause.from));
}
