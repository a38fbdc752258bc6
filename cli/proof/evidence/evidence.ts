import { createHash } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { PROGRAM } from '../../shell/terminal/programName.ts';
import { formatInstant } from '../../shell/text/time.ts';
import type { PublicLog } from '../inclusion/publicLog.ts';
import { type Counted, rowsOfCount } from './countEntries.ts';
import type { SmallFile } from './smallFile.ts';

/** The result of the verification of one entry, as sentences for people without a full stop. */
export interface Findings {
  /** The statements of the evidence about the entry; only as far as its signatures hold. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly proven: readonly string[];
  /** Statements that a reader may expect and the evidence does not show. That does not make the verification fail. */
  readonly notProven: readonly string[];
  readonly wrong: readonly string[];
  /** What the entries of the file say. */
  readonly counted?: Counted;
  /** Whether the entry came into the log by the deadline of its receipt; undefined: nothing was looked up. */
  readonly promise?: 'kept' | 'late' | 'pending' | 'broken' | 'unknown' | undefined;
  /** The findings are about a file with several entries, not about one of them. */
  readonly isAboutFile?: boolean;
}

/**
 * Returns the result of a verification in short. `BROKEN`, `LATE`: only the promise of a receipt does not hold. What
 * came late stays late.
 */
export function statusOf({ wrong, proven, promise }: Pick<Findings, 'wrong' | 'proven' | 'promise'>) {
  if (wrong.length === 1 && promise === 'broken') return 'BROKEN';
  if (wrong.length === 1 && promise === 'late') return 'LATE';
  if (wrong.length > 0) return 'FAILED';
  if (promise === 'pending') return 'NOT YET';
  return proven.length > 0 && promise !== 'unknown' ? 'ok' : 'NO PROOF';
}

/** Counts entries by the result of their verification, and files that do not hold as a whole. */
export function countFindings() {
  const counts = { ok: 0, FAILED: 0, BROKEN: 0, LATE: 0, 'NOT YET': 0, 'NO PROOF': 0, FILES: 0 };
  return {
    counts,
    add(findings: Findings): void {
      const status = statusOf(findings);
      if (!findings.isAboutFile || status !== 'ok') counts[findings.isAboutFile ? 'FILES' : status] += 1;
    },
    /** Formats the counts: `Checked: 3, failed: 1, promise broken: 1`. */
    format(): string {
      const { ok, FAILED: failed, BROKEN: broken, LATE: late, 'NOT YET': early, 'NO PROOF': unproven } = counts;
      const always = { Checked: ok + failed + broken + late + early + unproven, failed };
      const others = {
        'promise broken': broken,
        'promise kept late': late,
        'not yet in the log': early,
        'without proof': unproven,
      };
      return [always, others, { 'failed as a whole': counts.FILES }]
        .flatMap((group) => Object.entries(group).filter(([, count]) => group === always || count > 0))
        .map(([name, count]) => `${name}: ${count}`)
        .join(', ');
    },
  };
}

/** Returns the sentences of findings, each with what it says about the evidence. */
export const sentencesOf = ({ proven, notProven, wrong }: Findings) => [
  ...proven.map((sentence) => ['proven', sentence] as const),
  ...notProven.map((sentence) => ['not proven', sentence] as const),
  ...wrong.map((sentence) => ['WRONG', sentence] as const),
];

/** Returns what a file says without proof: the facts of findings, then what was counted, by their names. */
export const factsOf = ({ facts, counted }: Findings): (readonly [name: string, text: string])[] => [
  ...Object.entries(facts).map(([name, value]) => [name, String(value)] as const),
  ...(counted ? rowsOfCount(counted) : []),
];

export interface Context {
  readonly policy: Policy;
  readonly body: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  /** The preimage to use instead of the one beside the proof. */
  readonly preimage: SmallFile | undefined;
  /** The public log in which entries are looked up; undefined: none was given. */
  readonly log?: PublicLog | undefined;
}

export interface EvidenceFormat {
  readonly name: string;
  /** The options that it uses besides the policy. */
  readonly options: readonly ('body' | 'preimage' | 'log')[];
  /** Returns true if a file is of this format, from its content. @param text the first 64 KB or more */
  recognizes(text: string): boolean;
  /** Verifies each entry of the file. What does not hold is a finding. @throws Failure if another file is missing */
  verify(file: SmallFile, context: Context): Iterable<Findings> | AsyncIterable<Findings>;
}

export function collectFindings() {
  const wrong: string[] = [];
  return {
    facts: {} as Record<string, string | number>,
    proven: [] as string[],
    notProven: [] as string[],
    wrong,
    promise: undefined as Findings['promise'],
    /** Returns the result of a check; undefined if it throws, and its message is then a finding. */
    attempt<T>(check: () => T): T | undefined {
      try {
        return check();
      } catch (error) {
        wrong.push((error as Error).message.replace(/\.$/, ''));
        return undefined;
      }
    },
  };
}

export type FindingsCollector = ReturnType<typeof collectFindings>;

/** Checks that an entry was received while its request was valid: its id starts with the timestamp that was signed. */
export function checkTime({ wrong }: FindingsCollector, entryId: string, receivedAt: number): void {
  const signedAt = Number(entryId.slice(0, 13));
  if (Math.abs(receivedAt - signedAt) <= CLOCK_TOLERANCE_MS) return;
  wrong.push(
    `The entry says that it was received at ${formatInstant(receivedAt)}, but it was signed at ${formatInstant(signedAt)}: the service accepts a request only within ${CLOCK_TOLERANCE_MS / 1000} s of its timestamp`,
  );
}

/** Checks that the body is the one of the entry. */
export function checkBody(
  { proven, notProven, wrong }: FindingsCollector,
  body: Context['body'],
  { bodySha256, bodyBytes }: { readonly bodySha256: string; readonly bodyBytes?: number },
): void {
  if (!body) {
    notProven.push(`which body it has: give the file that was sent too (--body). Its SHA-256 must be ${bodySha256}`);
    return;
  }
  const digest = createHash('sha256').update(body.bytes).digest('hex');
  if (digest !== bodySha256) {
    wrong.push(
      `${body.name} is not the body of the entry: its SHA-256 is ${digest}, not ${bodySha256}. If it was uploaded with --order, ${PROGRAM} verify needs the same --order`,
    );
  } else if (bodyBytes !== undefined && bodyBytes !== body.bytes.length) {
    wrong.push(`${body.name} has ${body.bytes.length} bytes, the entry ${bodyBytes}`);
  } else {
    proven.push(`its body is ${body.name}, byte for byte`);
  }
}
