import { ENTRY_ID } from '../../../functions/ailog/entry.ts';
import { isUid } from '../../shell/text/uid.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import { isIntact, isVerdict, REASON_CODES, type VERDICTS, type VerdictContent, type VerdictRecord } from './record.ts';

const PINNED_ENTRIES = 100;
/** The fewest characters of a sentence: a word is none. */
const SENTENCE = 10;

type Check = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const matches = (pattern: RegExp) => (value: unknown) => isText(value) && pattern.test(value);
/** Matches the seed of a sample. */
export const SEED = /^.{1,40}$/u;
const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value));
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const optional = (check: Check) => (value: unknown) => value === undefined || check(value);

/** Checks that a value is an object with these fields, and no others. */
const withFields =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const given = new Map<string, unknown>(Object.entries(value));
    return (
      [...given.keys()].every((name) => Object.hasOwn(fields, name)) &&
      Object.entries(fields).every(([name, check]) => check(given.get(name)))
    );
  };

const said = {
  uid: (value) => isText(value) && isUid(value),
  reason: optional(isText),
  text: optional(isText),
  read: optional(isText),
  entries: optional(areTexts),
  sample: optional(withFields({ seed: matches(SEED), size: isCount, failures: isCount })),
} satisfies Readonly<Record<string, Check>>;

const recordFields: Readonly<Record<keyof VerdictRecord, Check>> = {
  ...said,
  author: isText,
  // No option or service makes one longer: an ARN of AWS has at most 2048 characters.
  arn: matches(/^.{1,2048}$/su),
  id: matches(ENTRY_ID),
  verdict: (value) => isVerdict(value) || value === 'withdrawn',
  withdraws: optional(matches(ENTRY_ID)),
  after: areTexts,
  evidence: optional(withFields({ file: isText, sha256: matches(/^[0-9a-f]{64}$/) })),
  period: optional(withFields({ from: isTime, until: isTime })),
};
const hasShape = withFields(recordFields);

/** Returns true for an item that is a record as it was written. Anyone can put anything under their own key. */
export const isRecord = (item: object): item is VerdictRecord => hasShape(item);

export type Said = Pick<VerdictContent, keyof typeof said> & { readonly verdict: (typeof VERDICTS)[number] };

const isShaped = withFields({ ...said, verdict: isVerdict });

export const isSaid = (value: unknown): value is Said => isShaped(value);

/**
 * Returns what is wrong with a record, for who writes one and who reads one. @param hasEntries whether a team has any:
 * nobody can make a statement of one without
 */
export async function findProblem(
  { uid, verdict, withdraws, reason, text = '', read = '', entries = [], sample, evidence, period }: VerdictContent,
  hasEntries: (uid: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (verdict === 'withdrawn') {
    if (withdraws === undefined) return 'a withdrawal names what it withdraws';
    const isBare = !(reason || text || read || entries.length || sample || evidence || period);
    return isBare ? undefined : 'a withdrawal says nothing but what it withdraws';
  }
  const known = REASON_CODES.map(({ code }) => code);
  if (reason !== undefined && !known.includes(reason)) return `the reason code is one of: ${known.join(', ')}`;
  if (verdict !== 'looked-at' && reason === undefined) return `"${verdict}" needs a reason code: ${known.join(', ')}`;
  if (sample && sample.size < 1) return 'a sample has at least one log';
  if (sample && sample.failures > sample.size) return 'a sample has at most as many failures as logs';
  if (entries.length > PINNED_ENTRIES) return `at most ${PINNED_ENTRIES} entries can be pinned`;
  const tooLong = findTextProblem('text', text) ?? findTextProblem('read', read);
  if (tooLong !== undefined || verdict !== 'disqualify') return tooLong;
  if (text.trim() === '') return '"disqualify" needs a text: what the team did';
  const isFact = REASON_CODES.find(({ code }) => code === reason)?.isFact;
  if (!isFact && [...read.trim()].length < SENTENCE)
    return `"disqualify" for "${reason}", a question, needs a sentence that says what you read`;
  if (evidence !== undefined || !(await hasEntries(uid))) return undefined;
  return '"disqualify" needs a statement as evidence, which ailog statement writes';
}

/** Returns why an item of the table does not count as a record; undefined if it counts. */
export async function findFault(item: object, hasEntries: (uid: string) => Promise<boolean>) {
  if (!isRecord(item)) return 'it does not have the shape of a verdict';
  return isIntact(item) ? findProblem(item, hasEntries) : 'it was changed after it was written';
}
