import { Failure } from '../../shell/terminal/failure.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { findEntry, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import type { Target } from '../../store/targets/target.ts';
import { REASONS_AUTHOR, type ReasonCodes, type VERDICTS, type VerdictRecord, withId } from './record.ts';
import { reviewsTable } from './reviewsTable.ts';
import { isConfirmed, shownStandings, standingOf } from './standing.ts';

const PINNED_ENTRIES = 100;

export type Draft = Omit<VerdictRecord, 'author' | 'id' | 'arn' | 'verdict' | 'withdraws'> & {
  readonly verdict: (typeof VERDICTS)[number];
};

async function findProblem(target: Target, draft: Draft, codes: ReasonCodes['codes']): Promise<string | undefined> {
  const { uid, verdict, reason, text = '', entries = [], sample, evidence } = draft;
  const known = codes.map(({ code }) => code);
  if (reason !== undefined && !known.includes(reason)) return `the reason code is one of: ${known.join(', ')}`;
  if (verdict !== 'looked-at' && reason === undefined) return `"${verdict}" needs a reason code: ${known.join(', ')}`;
  if (sample && sample.failures > sample.size) return 'a sample has at most as many failures as logs';
  if (entries.length > PINNED_ENTRIES) return `at most ${PINNED_ENTRIES} entries can be pinned`;
  const tooLong = findTextProblem('text', text);
  if (tooLong !== undefined || verdict !== 'disqualify') return tooLong;
  if (text.trim() === '') return '"disqualify" needs a text: what the team did';
  // Nobody can make a statement of a team without entries.
  const reader = entriesReader(target);
  if (evidence !== undefined || (await reader.page(uid, {}, { limit: 1 })).entries.length === 0) return undefined;
  return '"disqualify" needs a statement as evidence, which ailog statement writes';
}

async function append(target: Target, content: Omit<VerdictRecord, 'author' | 'id' | 'arn'>): Promise<VerdictRecord> {
  const { id: author, arn } = await target.caller();
  const record = withId({ author, arn, ...content }, await target.now());
  await reviewsTable(target).append(record);
  return record;
}

/**
 * Gives a verdict of the caller about a team. It takes the place of the caller's verdict before, which stays on record.
 * @param draft its entries may be starts of ids
 * @throws Failure that says what is missing or wrong
 */
export async function giveVerdict(target: Target, draft: Draft): Promise<VerdictRecord> {
  await requireKnownUids(target, [draft.uid]);
  const problem = await findProblem(target, draft, (await reviewsTable(target).read()).codes);
  if (problem !== undefined) throw new Failure('usage', `No verdict was given: ${problem}.`);
  const found = await Promise.all((draft.entries ?? []).map((id) => findEntry(target, id, [draft.uid])));
  return append(target, { ...draft, ...(found.length > 0 && { entries: found.map(({ entryId }) => entryId) }) });
}

/** Withdraws the caller's verdict about a team. @throws Failure if there is none, or another person has confirmed it */
export async function withdrawVerdict(target: Target, uid: string): Promise<VerdictRecord> {
  const { records } = await reviewsTable(target).read();
  const { own, verdicts = [] } = shownStandings(records, await target.caller()).get(uid) ?? {};
  if (own === undefined) throw new Failure('negative', `You have given no verdict about UID ${uid}.`);
  if (isConfirmed(verdicts, own)) {
    throw new Failure('negative', `Another person has confirmed your verdict "${own.verdict}" about UID ${uid}.`, {
      advice: 'It cannot be withdrawn any more. Give another verdict: both stay on record.',
    });
  }
  return append(target, { uid, verdict: 'withdrawn', withdraws: own.id });
}

/** Replaces the reason codes. The earlier lists stay on record. */
export async function setReasonCodes(target: Target, codes: ReasonCodes['codes']): Promise<void> {
  const { arn } = await target.caller();
  await reviewsTable(target).append(withId({ author: REASONS_AUTHOR, arn, codes }, await target.now()));
}

/**
 * Returns the reason of a disqualification on which two people agree, for the allowlist: the reason codes, the digests
 * of the statements, and the ids of the verdicts.
 * @throws Failure if no two people agree
 */
export async function agreedReason(target: Target, uid: string): Promise<string> {
  const { records } = await reviewsTable(target).read();
  const { verdicts, isAgreed } = standingOf(records.filter((record) => record.uid === uid));
  const agreed = verdicts.filter(({ verdict }) => verdict === 'disqualify').slice(0, 2);
  if (!isAgreed) {
    const message = `UID ${uid} cannot be disqualified yet: two people must agree, and ${agreed.length} did.`;
    throw new Failure('negative', message, {
      advice: `A reviewer agrees with: ailog reviews add ${uid} disqualify …`,
    });
  }
  const list = (values: readonly (string | undefined)[]) =>
    [...new Set(values)].filter((value) => value !== undefined).join(', ');
  const statements = list(agreed.map(({ evidence }) => evidence?.sha256));
  return [
    `reviewed: ${list(agreed.map(({ reason }) => reason))}`,
    ...(statements === '' ? [] : [`statement SHA-256 ${statements}`]),
    `verdicts ${list(agreed.map(({ id }) => id))}`,
  ].join('; ');
}
