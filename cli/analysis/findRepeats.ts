import { isSameTime } from './sameTime.ts';

/**
 * The repeats of every log: for each index, a kind (its place in `labels`, plus one; 0: none) and the log that it
 * repeats.
 */
export interface Repeats {
  readonly kind: Uint8Array;
  readonly of: Uint32Array;
}

const noRepeats = (count: number): Repeats => ({ kind: new Uint8Array(count), of: new Uint32Array(count) });

/**
 * Finds the earliest log of the same team with the same label, by the strongest kind, for every log.
 * @param order the indices of all logs, team by team, the earliest of a team first
 * @param labels by kind, the strongest first
 * @param teamOf returns a number for the team of a log
 */
export function findOwnRepeats(order: Uint32Array, labels: readonly Uint32Array[], teamOf: Uint32Array): Repeats {
  const { kind, of } = noRepeats(order.length);
  for (const [place, ofKind] of labels.entries()) {
    /** The team's first log with a label, plus one; 0: none. */
    const first = new Uint32Array(order.length);
    for (const index of order) {
      const label = ofKind[index] as number;
      const leading = first[label] as number;
      if (leading === 0 || teamOf[leading - 1] !== teamOf[index]) first[label] = index + 1;
      else if (kind[index] === 0) [kind[index], of[index]] = [place + 1, leading - 1];
    }
  }
  return { kind, of };
}

/**
 * Finds for every log the log of another team with the same label, by the strongest kind. The log that was received
 * first decides: a log of another team is a copy of it if it came more than `SAME_TIME_MS` later. The teams whose logs
 * came earlier than that may have written the text as well as the first: none of them copies it, not even when they
 * repeat themselves later.
 * @param order the indices of all logs, the one that was received first of all first
 * @param labels by kind, the strongest first
 * @param receivedAt returns the time of receipt of a log
 */
export function findForeignRepeats(
  order: Uint32Array,
  labels: readonly Uint32Array[],
  { teamOf, receivedAt }: { teamOf: Uint32Array; receivedAt: (index: number) => number },
): { copy: Repeats; sameTime: Repeats } {
  const [copy, sameTime] = [noRepeats(order.length), noRepeats(order.length)];
  for (const [place, ofKind] of labels.entries()) {
    /** The first log with a label, and the first one of another team at the same time, plus one; 0: none. */
    const [first, second] = [new Uint32Array(order.length), new Uint32Array(order.length)];
    /** The teams with a log at the time of the first one, by label; only where there are any. */
    const tied = new Map<number, Set<number>>();
    const isAtTime = (index: number, leading: number) => isSameTime(receivedAt(index), receivedAt(leading));
    for (const index of order) {
      const label = ofKind[index] as number;
      const leading = (first[label] as number) - 1;
      if (leading === -1) first[label] = index + 1;
      else if (teamOf[leading] !== teamOf[index] && isAtTime(index, leading)) {
        if (second[label] === 0) second[label] = index + 1;
        const teams = tied.get(label) ?? new Set();
        tied.set(label, teams.add(teamOf[index] as number));
      }
    }
    for (const index of order) {
      if (copy.kind[index] !== 0 || sameTime.kind[index] !== 0) continue;
      const label = ofKind[index] as number;
      const [leading, other] = [(first[label] as number) - 1, (second[label] as number) - 1];
      const isFirstTeam = teamOf[leading] === teamOf[index];
      if (isFirstTeam || tied.get(label)?.has(teamOf[index] as number)) {
        if (other === -1 || !isAtTime(index, leading)) continue;
        [sameTime.kind[index], sameTime.of[index]] = [place + 1, isFirstTeam ? other : leading];
      } else [copy.kind[index], copy.of[index]] = [place + 1, leading];
    }
  }
  return { copy, sameTime };
}
