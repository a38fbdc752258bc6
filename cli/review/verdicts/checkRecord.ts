import { isUid } from '../../shell/text/uid.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import { isIntact, isVerdict, REASON_CODES, type VerdictContent, type VerdictRecord } from './record.ts';

const PINNED_ENTRIES = 100;
/** The fewest characters of a sentence: a word is none. */
const SENTENCE = 10;

type Check = (value: unknown) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const matches = (pattern: RegExp) => (value: unknown) => isText(value) && pattern.test(value);
const ID = /^\d{13}-[0-9a-f]{32}$/;
/** Texts that no option or service makes longer. AWS: an ARN has at most 2048 characters. */
const hasAtMost = (length: number) => matches(new RegExp(`^.{1,${length}}$`, 'su'));
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

const fields: Readonly<Record<keyof VerdictRecord, Check>> = {
  author: isText,
  id: matches(ID),
  uid: (value) => isText(value) && isUid(value),
  arn: hasAtMost(2048),
  verdict: (value) => isVerdict(value) || value === 'withdrawn',
  withdraws: optional(matches(ID)),
  after: areTexts,
  reason: optional(isText),
  text: optional(isText),
  read: optional(isText),
  entries: optional(areTexts),
  sample: optional(withFields({ seed: hasAtMost(40), size: isCount, failures: isCount })),
  evidence: optional(withFields({ file: isText, sha256: matches(/^[0-9a-f]{64}$/) })),
  period: optional(withFields({ from: isTime, until: isTime })),
};

const hasShape = withFields(fields);

/** Returns true for an item that is a record as it was written. Anyone can put anything under their own key. */
export const isRecord = (item: object): item is VerdictRecord => hasShape(item);

/**
 * Returns what is wrong with a record; undefined if nothing is. The program that writes one asks, and every program
 * that reads one asks again: not all that is in the table was written by this program.
 * @param hasEntries whether a team has entries. Nobody can make a statement of a team without
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
