/** The drafts of verdicts, for the page and the server. */
import type { VerdictRecord } from '../../review/verdicts/record.ts';

export interface Draft {
  readonly verdict?: VerdictRecord['verdict'];
  /** Undefined: the reason to look at the team; empty: none. */
  readonly reason?: string;
  readonly text?: string;
  readonly read?: string;
  readonly pins?: readonly string[];
  readonly sample?: VerdictRecord['sample'];
  readonly statement?: string;
}

/** A change of a draft. What is undefined, null or empty is left out; what is not named stays. */
export type DraftChange = { readonly [Name in keyof Draft]: Draft[Name] | null | undefined };

const isText = (value: unknown) => typeof value === 'string';
const isSample = (value: unknown) => {
  const { seed, size, failures } = value as Record<string, unknown>;
  return isText(seed) && [size, failures].every((count) => typeof count === 'number');
};

const fields: Readonly<Record<keyof Draft, (value: unknown) => boolean>> = {
  verdict: isText,
  reason: isText,
  text: isText,
  read: isText,
  pins: (value) => Array.isArray(value) && value.every(isText),
  sample: isSample,
  statement: isText,
};

/** Returns true if a value is a change of a draft. A draft is one, too. */
export const isDraftChange = (value: unknown): value is DraftChange =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, given]) => Object.hasOwn(fields, name) && ((given ?? null) === null || fields[name as keyof Draft](given)),
  );

/** Returns a draft after a change. Its fields are always in one order. */
export const changeDraft = (draft: Draft, change: DraftChange): Draft =>
  Object.fromEntries(
    (Object.keys(fields) as (keyof Draft)[]).flatMap((name) => {
      const value = Object.hasOwn(change, name) ? change[name] : draft[name];
      // An empty field says nothing, except that no reason is a choice.
      const isKept = (value ?? null) !== null && (name === 'reason' || String(value) !== '');
      return isKept ? [[name, value]] : [];
    }),
  );
