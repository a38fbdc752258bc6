import { createHash } from 'node:crypto';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { formatInstant } from '../text/time.ts';
import type { SmallFile } from './smallFile.ts';

/** The result of the verification of one entry, as sentences for people without a full stop. */
export interface Findings {
  /** The statements of the evidence about the entry; only as far as its signatures hold. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly proven: readonly string[];
  /** Statements that a reader may expect and the evidence does not show. That does not make the verification fail. */
  readonly notProven: readonly string[];
  /** The statements that do not hold. */
  readonly wrong: readonly string[];
}

/** What a verification needs besides the evidence. */
export interface Context {
  readonly policy: Policy;
  /** The body that was sent. */
  readonly body: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  /** The preimage to use instead of the one beside the proof. */
  readonly preimage: SmallFile | undefined;
}

/** A kind of file that `ailog verify` reads. */
export interface EvidenceFormat {
  readonly name: string;
  /** The options that it uses besides the policy. */
  readonly options: readonly ('body' | 'preimage')[];
  /** Returns true if a file is of this format, from its content. @param text the first 64 KB or more */
  recognizes(text: string): boolean;
  /**
   * Verifies each entry of the file. What does not hold is a finding, not an error.
   * @throws Failure if another file is missing
   */
  verify(file: SmallFile, context: Context): Iterable<Findings> | AsyncIterable<Findings>;
}

/** Collects findings. */
export function collectFindings() {
  const facts: Record<string, string | number> = {};
  const [proven, notProven, wrong]: [string[], string[], string[]] = [[], [], []];
  return {
    facts,
    proven,
    notProven,
    wrong,
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

/** Findings that are being collected. */
export type FindingsCollector = ReturnType<typeof collectFindings>;

/**
 * Checks that an entry was received while its request was valid. The first 13 digits of an entry id are the timestamp
 * that the team signed.
 */
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
    notProven.push(`which body it has: give the file that was sent with --body. Its SHA-256 must be ${bodySha256}`);
    return;
  }
  const digest = createHash('sha256').update(body.bytes).digest('hex');
  if (digest !== bodySha256) {
    wrong.push(
      `${body.name} is not the body of the entry: its SHA-256 is ${digest}, not ${bodySha256}. A log that was uploaded with --order needs the same --order here`,
    );
  } else if (bodyBytes !== undefined && bodyBytes !== body.bytes.length) {
    wrong.push(`${body.name} has ${body.bytes.length} bytes, the entry ${bodyBytes}`);
  } else {
    proven.push(`its body is ${body.name}, byte for byte`);
  }
}
