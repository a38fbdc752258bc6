import { growingRows } from './growingRows.ts';
import { joinLabels, labelRows } from './labels.ts';
import { type LogContent, shortDigest } from './logContent.ts';
import { estimateSimilarity, SIGNATURE_BYTES, signWords } from './minHash.ts';
import { findLeaders } from './nearDuplicates.ts';
import { bySignature, type SignedLog } from './signedLog.ts';

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

/**
 * The fewest words of a text that is compared with the texts of other teams, and for near-duplicates. Many honest logs
 * have a short text, such as "Hold. No clear signal.", in common.
 */
const COMPARABLE_WORDS = 12;

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
}

const DIGEST_BYTES = 12;

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
 * Collects logs and finds those that repeat each other, within a team and between teams. It keeps four digests of 12
 * bytes, a MinHash signature of 128 bytes and two small integers per log, whatever the size of the body.
 */
export function createRepetitionFinder() {
  const logs: SignedLog[] = [];
  const digests = {
    body: growingRows(DIGEST_BYTES),
    data: growingRows(DIGEST_BYTES),
    output: growingRows(DIGEST_BYTES),
    text: growingRows(DIGEST_BYTES),
  };
  const signatures = growingRows(SIGNATURE_BYTES);
  const comparable = growingRows(1);

  return {
    /** Adds a log. @param bodySha256 hex SHA-256 of its body */
    add(log: SignedLog, bodySha256: string, { data, outputWords, words }: LogContent): void {
      const body = Buffer.from(bodySha256, 'hex').subarray(0, DIGEST_BYTES);
      /** A short text is compared within its team only, and an empty one with nothing. */
      const digestWords = (name: string, compared: readonly string[]) => {
        if (compared.length === 0) return shortDigest(`${name} ${log.uid} ${log.entryId}`);
        return shortDigest(`${name} ${compared.length < COMPARABLE_WORDS ? log.uid : ''} ${compared.join(' ')}`);
      };
      logs.push(log);
      digests.body.push(body);
      digests.data.push(data === undefined ? body : shortDigest(data));
      // A short output is compared only together with its explanation.
      digests.output.push(digestWords('output', outputWords.length < COMPARABLE_WORDS ? [] : outputWords));
      digests.text.push(digestWords('text', words));
      signatures.push(signWords(words));
      comparable.push(Uint8Array.of(words.length < COMPARABLE_WORDS ? 0 : 1));
    },

    /** Finds all groups of two logs or more, the largest first. */
    find(): RepeatGroup[] {
      const count = logs.length;
      const logAt = (index: number) => logs[index] as SignedLog;
      const order = Uint32Array.from({ length: count }, (_, index) => index).sort((a, b) =>
        bySignature(logAt(a), logAt(b)),
      );
      const text = labelRows(digests.text.all(), DIGEST_BYTES);
      const near = findLeaders({
        order,
        textLabels: text,
        isComparable: (index) => comparable.row(index)[0] === 1,
        signatures: signatures.all(),
        threshold: NEAR,
      });
      const labels = [
        ...[digests.body, digests.data, digests.output].map((rows) => labelRows(rows.all(), DIGEST_BYTES)),
        text,
        near,
      ];

      const uids = [...new Set(logs.map(({ uid }) => uid))];
      const numberOf = new Map(uids.map((uid, index) => [uid, index]));
      const teamOf = Uint32Array.from(logs, ({ uid }) => numberOf.get(uid) as number);
      const copies = findRepeats(order, labels, { teamOf, own: false });
      // The sort is stable: the logs of a team stay in the order of their signatures.
      const byTeam = order.slice().sort((a, b) => (teamOf[a] as number) - (teamOf[b] as number));
      const ownRepeats = findRepeats(byTeam, labels, { teamOf, own: true });
      const repeatOf = ({ kind, of }: Repeats, index: number): Repeat | undefined => {
        const name = KINDS[(kind[index] as number) - 1];
        return name && { kind: name, of: logAt(of[index] as number) };
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
      return [...groups.values()]
        .sort((a, b) => b.length - a.length || bySignature(logAt(a[0] as number), logAt(b[0] as number)))
        .map((members) => ({
          size: members.length,
          *members() {
            for (const index of members) yield describeMember(index, members[0] as number);
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
    for (const { log, own, copy } of group.members()) {
      const ofTeam = counts.get(log.uid) ?? { own: none(), copies: none() };
      counts.set(log.uid, ofTeam);
      if (own) ofTeam.own[own.kind] += 1;
      if (copy) ofTeam.copies[copy.kind] += 1;
    }
  }
  return counts;
}
