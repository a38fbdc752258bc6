import { growingRows } from './growingRows.ts';
import { joinLabels, labelRows } from './labels.ts';
import { DIGEST_BYTES, factOffsets } from './logFacts.ts';
import { estimateSimilarity, SIGNATURE_BYTES } from './minHash.ts';
import { findLeaders } from './nearDuplicates.ts';
import type { SignedLog } from './signedLog.ts';
import type { SignedLogColumns } from './signedLogs.ts';

/** The ways in which a log can repeat an earlier one, the strongest first. */
export const repeatKinds = {
  body: 'the same body, byte for byte',
  data: 'the same input and output',
  output: 'the same output but for digits',
  text: 'the same output and explanation but for digits',
  near: 'nearly the same output and explanation',
} as const;

/** The name of a kind of repetition. */
export type RepeatKind = keyof typeof repeatKinds;

const KINDS = Object.keys(repeatKinds) as RepeatKind[];

/** The estimated similarity from which two texts are near-duplicates. See docs/review.md for how it was chosen. */
export const NEAR = 0.5;

/** The earlier log that a log repeats. */
export interface Repeat {
  readonly kind: RepeatKind;
  readonly of: SignedLog;
}

/** A log in a group of repetition. The first log of a group repeats none. */
export interface RepeatMember {
  readonly log: SignedLog;
  /** The earliest log of the same team that it repeats, by the strongest kind. */
  readonly own?: Repeat;
  /** The earliest log of another team that it repeats, by the strongest kind. */
  readonly copy?: Repeat;
  /** The estimated similarity of its text to the text of the group's first log, from 0 to 1. */
  readonly similarity: number;
}

/** Logs that repeat each other, directly or through others. */
export interface RepeatGroup {
  /** The number of logs. */
  readonly size: number;
  /** Returns the logs, in the order of their signatures. */
  members(): IteratorObject<RepeatMember>;
  /** Returns the UID of each log, and the kinds by which it repeats others. */
  kinds(): IteratorObject<{ readonly uid: string; readonly own?: RepeatKind; readonly copy?: RepeatKind }>;
}

/** The repeats of every log: for each index, a kind (its place in `KINDS`, plus one; 0: none) and the earlier log. */
interface Repeats {
  readonly kind: Uint8Array;
  readonly of: Uint32Array;
}

/**
 * Finds the earliest log with the same label, by the strongest kind, for every log.
 * @param order the indices of all logs, those that may repeat an earlier one after it
 * @param labels by kind, the strongest first
 * @param teamOf returns a number for the team of a log
 * @param own true finds earlier logs of the same team. False finds the first log of all if it is another team's, so that
 * a team whose text was copied does not copy when it repeats itself
 */
function findRepeats(
  order: Uint32Array,
  labels: readonly Uint32Array[],
  { teamOf, own }: { teamOf: Uint32Array; own: boolean },
): Repeats {
  const [kind, of] = [new Uint8Array(order.length), new Uint32Array(order.length)];
  for (const [place, ofKind] of labels.entries()) {
    /** The first log with a label, plus one; 0: none. */
    const first = new Uint32Array(order.length);
    for (const index of order) {
      const label = ofKind[index] as number;
      const leading = first[label] as number;
      const isOwn = leading !== 0 && teamOf[leading - 1] === teamOf[index];
      if (leading === 0 || (own && !isOwn)) first[label] = index + 1;
      if (isOwn !== own || leading === 0 || kind[index] !== 0) continue;
      kind[index] = place + 1;
      of[index] = leading - 1;
    }
  }
  return { kind, of };
}

/**
 * Collects logs and finds those that repeat each other, within a team and between teams. It keeps 165 bytes per log, whatever
 * the size of the body: four digests, a MinHash signature of 128 bytes and the number of the log.
 */
export function createRepetitionFinder() {
  const number32 = new Uint32Array(1);
  const numberBytes = new Uint8Array(number32.buffer);
  const numbers = growingRows(numberBytes.length);
  const digests = factOffsets.digests.map((offset) => ({ offset, rows: growingRows(DIGEST_BYTES) }));
  const signatures = growingRows(SIGNATURE_BYTES);
  const comparable = growingRows(1);

  return {
    /** Adds a log. @param number its number among the signed logs @param facts a row of `writeFacts` */
    add(number: number, facts: Uint8Array): void {
      number32[0] = number;
      numbers.push(numberBytes);
      for (const { offset, rows } of digests) rows.push(facts, offset);
      signatures.push(facts, factOffsets.signature);
      comparable.push(facts, factOffsets.isComparable);
    },

    /** Finds all groups of two logs or more, the largest first. Call it once, when all logs are added. @param columns the signed logs */
    find(columns: SignedLogColumns): RepeatGroup[] {
      const numberOf = new Uint32Array(numbers.take().buffer);
      const count = numberOf.length;
      const logAt = (index: number) => columns.at(numberOf[index] as number);
      const compare = (a: number, b: number) => columns.compare(numberOf[a] as number, numberOf[b] as number);
      const teamOf = numberOf.map((number) => columns.team[number] as number);
      const order = Uint32Array.from({ length: count }, (_, index) => index).sort(compare);
      const [body, data, output, text] = digests.map(({ rows }) => labelRows(rows.take(), DIGEST_BYTES)) as [
        Uint32Array,
        Uint32Array,
        Uint32Array,
        Uint32Array,
      ];
      const near = findLeaders({
        order,
        textLabels: text,
        isComparable: (index) => comparable.row(index)[0] === 1,
        signatures,
        threshold: NEAR,
      });
      const labels = [body, data, output, text, near];
      const copies = findRepeats(order, labels, { teamOf, own: false });
      // The sort is stable: the logs of a team stay in the order of their signatures.
      const byTeam = order.slice().sort((a, b) => (teamOf[a] as number) - (teamOf[b] as number));
      const ownRepeats = findRepeats(byTeam, labels, { teamOf, own: true });
      const kindOf = ({ kind }: Repeats, index: number) => KINDS[(kind[index] as number) - 1];
      const repeatOf = (repeats: Repeats, index: number): Repeat | undefined => {
        const kind = kindOf(repeats, index);
        return kind && { kind, of: logAt(repeats.of[index] as number) };
      };

      const roots = joinLabels(labels, count);
      const sizes = new Uint32Array(count);
      for (const root of roots) sizes[root] = (sizes[root] as number) + 1;
      const groups = new Map<number, number[]>();
      for (const index of order) {
        const root = roots[index] as number;
        if ((sizes[root] as number) < 2) continue;
        const members = groups.get(root) ?? [];
        members.push(index);
        groups.set(root, members);
      }
      const describeMember = (index: number, first: number): RepeatMember => {
        const [own, copy] = [repeatOf(ownRepeats, index), repeatOf(copies, index)];
        const similarity = estimateSimilarity(signatures.row(first), signatures.row(index));
        return { log: logAt(index), ...(own && { own }), ...(copy && { copy }), similarity };
      };
      // The sort is stable: groups of the same size stay in the order of their first logs.
      return [...groups.values()]
        .sort((a, b) => b.length - a.length)
        .map((members) => ({
          size: members.length,
          *members() {
            for (const index of members) yield describeMember(index, members[0] as number);
          },
          *kinds() {
            for (const index of members) {
              const [own, copy] = [kindOf(ownRepeats, index), kindOf(copies, index)];
              yield {
                uid: columns.uids[teamOf[index] as number] as string,
                ...(own && { own }),
                ...(copy && { copy }),
              };
            }
          },
        }));
    },
  };
}

/** The repeats of one team, as counts of logs. A log counts for the strongest kind by which it repeats an earlier one. */
export interface RepeatCounts {
  readonly own: Readonly<Record<RepeatKind, number>>;
  readonly copies: Readonly<Record<RepeatKind, number>>;
}

/** Counts the repeats of every team that has any. */
export function countRepeats(groups: readonly RepeatGroup[]): Map<string, RepeatCounts> {
  const none = () => Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<RepeatKind, number>;
  const counts = new Map<string, { own: Record<RepeatKind, number>; copies: Record<RepeatKind, number> }>();
  for (const group of groups) {
    for (const { uid, own, copy } of group.kinds()) {
      const ofTeam = counts.get(uid) ?? { own: none(), copies: none() };
      counts.set(uid, ofTeam);
      if (own) ofTeam.own[own] += 1;
      if (copy) ofTeam.copies[copy] += 1;
    }
  }
  return counts;
}
