import type { Policy } from '../../functions/c2sp/policy.ts';
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

/** The means of a verification. */
export interface Means {
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
  verify(file: SmallFile, means: Means): Iterable<Findings> | AsyncIterable<Findings>;
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
