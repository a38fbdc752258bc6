import { findForeignRepeats, findOwnRepeats, type Repeats } from './findRepeats.ts';
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

/** How a log relates to the log that it repeats: see `RepeatMember`. */
const RELATIONS = ['own', 'copy', 'sameTime'] as const;
type Relation = (typeof RELATIONS)[number];

interface Repeat {
  readonly kind: RepeatKind;
  readonly of: SignedLog;
}

/** A log in a group of repetition. The first log of a group repeats none. */
export interface RepeatMember {
  readonly log: SignedLog;
  /** The earliest log of the same team that it repeats, by the strongest kind. */
  readonly own?: Repeat;
  /** The log of another team that it repeats and that the service received first of all, by the strongest kind. */
  readonly copy?: Repeat;
  /** The log of another team that was received at the same time, so that nobody can say which was first. */
  readonly sameTime?: Repeat;
  /** The estimated similarity of its text to the text of the group's first log, from 0 to 1. */
  readonly similarity: number;
}

/** Logs that repeat each other, directly or through others. */
export interface RepeatGroup {
  /** The number of logs. */
  readonly size: number;
  /** Returns the logs, in the order of their receipt. */
  members(): IteratorObject<RepeatMember>;
  /** Returns the UID of each log, and the kinds by which it repeats others. */
  kinds(): IteratorObject<{ readonly uid: string } & { readonly [relation in Relation]?: RepeatKind }>;
}

/**
 * Collects logs and finds those that repeat each other, within a team and between teams. It keeps 165 bytes per log,
 * whatever the size of the body: four digests, a MinHash signature of 128 bytes and the number of the log.
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

    /**
     * Finds all groups of two logs or more, the largest first. Call it once, when all logs are added.
     * @param columns the signed logs
     */
    find(columns: SignedLogColumns): RepeatGroup[] {
      const numberOf = new Uint32Array(numbers.take().buffer);
      const count = numberOf.length;
      const logAt = (index: number) => columns.at(numberOf[index] as number);
      const teamOf = numberOf.map((number) => columns.team[number] as number);
      const indices = Uint32Array.from({ length: count }, (_, index) => index);
      const order = indices
        .slice()
        .sort((a, b) => columns.compareReceived(numberOf[a] as number, numberOf[b] as number));
      const byTeam = indices.sort(
        (a, b) =>
          (teamOf[a] as number) - (teamOf[b] as number) ||
          columns.compare(numberOf[a] as number, numberOf[b] as number),
      );
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
      const receivedAt = (index: number) => columns.receivedAt[numberOf[index] as number] as number;
      const repeats: Readonly<Record<Relation, Repeats>> = {
        own: findOwnRepeats(byTeam, labels, teamOf),
        ...findForeignRepeats(order, labels, { teamOf, receivedAt }),
      };
      const relationsOf = <Value>(index: number, describe: (kind: RepeatKind, of: number) => Value) =>
        Object.fromEntries(
          RELATIONS.flatMap((relation) => {
            const { kind, of } = repeats[relation];
            const name = KINDS[(kind[index] as number) - 1];
            return name ? [[relation, describe(name, of[index] as number)]] : [];
          }),
        ) as { readonly [relation in Relation]?: Value };

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
      // The sort is stable: groups of the same size stay in the order of their first logs.
      return [...groups.values()]
        .sort((a, b) => b.length - a.length)
        .map((members) => ({
          size: members.length,
          *members() {
            const first = signatures.row(members[0] as number);
            for (const index of members) {
              const similarity = estimateSimilarity(first, signatures.row(index));
              yield { log: logAt(index), ...relationsOf(index, (kind, of) => ({ kind, of: logAt(of) })), similarity };
            }
          },
          *kinds() {
            for (const index of members) {
              const uid = columns.uids[teamOf[index] as number] as string;
              yield { uid, ...relationsOf(index, (kind) => kind) };
            }
          },
        }));
    },
  };
}

/** The repeats of one team, as counts of logs. A log counts for the strongest kind of each relation. */
export type RepeatCounts = Readonly<Record<Relation, Readonly<Record<RepeatKind, number>>>>;

/** Counts the repeats of every team that has any. */
export function countRepeats(groups: readonly RepeatGroup[]): Map<string, RepeatCounts> {
  const none = () => Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<RepeatKind, number>;
  const counts = new Map<string, Record<Relation, Record<RepeatKind, number>>>();
  for (const group of groups) {
    for (const { uid, ...kinds } of group.kinds()) {
      const ofTeam = counts.get(uid) ?? { own: none(), copy: none(), sameTime: none() };
      counts.set(uid, ofTeam);
      for (const relation of RELATIONS) {
        const kind = kinds[relation];
        if (kind) ofTeam[relation][kind] += 1;
      }
    }
  }
  return counts;
}
