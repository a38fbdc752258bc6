import { Failure } from '../../shell/terminal/failure.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { findEntry, requireKnownUids } from '../../store/entries/selectEntries.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import type { Target } from '../../store/targets/target.ts';
import { REASON_CODES, type VERDICTS, type VerdictRecord, withId } from './record.ts';
import { reviewsTable } from './reviewsTable.ts';
import { shownStandings, standingOf } from './standing.ts';

const PINNED_ENTRIES = 100;

export type Draft = Omit<VerdictRecord, 'author' | 'id' | 'arn' | 'verdict' | 'withdraws' | 'after'> & {
  readonly verdict: (typeof VERDICTS)[number];
};

async function findProblem(target: Target, draft: Draft): Promise<string | undefined> {
  const { uid, verdict, reason, text = '', entries = [], sample, evidence } = draft;
  const known = REASON_CODES.map(({ code }) => code);
  if (reason !== undefined && !known.includes(reason)) return `the reason code is one of: ${known.join(', ')}`;
  if (verdict !== 'looked-at' && reason === undefined) return `"${verdict}" needs a reason code: ${known.join(', ')}`;
  if (sample && sample.size < 1) return 'a sample has at least one log';
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

/** @param before the records of all teams that were read before */
async function append(
  target: Target,
  before: readonly VerdictRecord[],
  content: Omit<VerdictRecord, 'author' | 'id' | 'arn' | 'after'>,
): Promise<VerdictRecord> {
  const { id: author, arn } = await target.caller();
  const after = before.flatMap(({ uid, id }) => (uid === content.uid ? [id] : []));
  const record = withId({ author, arn, ...content, after }, await target.now());
  await reviewsTable(target).append(record);
  return record;
}

/** A record that is not written yet, without what its author and its time add, and a function that writes it. */
interface Prepared<Written> {
  readonly content: Omit<VerdictRecord, 'author' | 'id' | 'arn' | 'after'>;
  readonly write: () => Promise<Written>;
}

/**
 * Checks a verdict of the caller about a team. It takes the place of the caller's verdict before, which stays on record.
 * @param draft its entries may be starts of ids
 * @throws Failure that says what is missing or wrong
 */
export async function prepareVerdict(target: Target, draft: Draft): Promise<Prepared<VerdictRecord>> {
  await requireKnownUids(target, [draft.uid]);
  const { records } = await reviewsTable(target).read();
  const problem = await findProblem(target, draft);
  if (problem !== undefined) throw new Failure('usage', `No verdict was given: ${problem}.`);
  const found = await Promise.all((draft.entries ?? []).map((id) => findEntry(target, id, [draft.uid])));
  const content = { ...draft, ...(found.length > 0 && { entries: found.map(({ entryId }) => entryId) }) };
  return { content, write: () => append(target, records, content) };
}

/**
 * Looks up the caller's verdict about a team, to withdraw it. What is written says whether two people still agree to
 * disqualify the team. @throws Failure if there is no verdict
 */
export async function prepareWithdrawal(
  target: Target,
  uid: string,
): Promise<Prepared<{ record: VerdictRecord; isAgreed: boolean }>> {
  const { records } = await reviewsTable(target).read();
  const { own } = shownStandings(records, await target.caller()).get(uid) ?? {};
  if (own === undefined) throw new Failure('negative', `You have given no verdict about UID ${uid}.`);
  const content = { uid, verdict: 'withdrawn' as const, withdraws: own.id };
  return {
    content,
    async write() {
      const record = await append(target, records, content);
      return { record, isAgreed: standingOf([...records.filter((one) => one.uid === uid), record]).isAgreed };
    },
  };
}

/** Says that a withdrawal is not enough. */
export const STILL_AGREED =
  'Two people have agreed to disqualify this team. That stands until a second one withdraws too.';

/**
 * Returns the reason of a disqualification on which two people agree, for the allowlist: the reason codes, the digests
 * of the statements, and the ids of the verdicts.
 * @throws Failure if no two people agree
 */
export async function agreedReason(target: Target, uid: string): Promise<string> {
  const { records } = await reviewsTable(target).read();
  const { verdicts, agreement } = standingOf(records.filter((record) => record.uid === uid));
  if (!agreement) {
    const said = verdicts.filter(({ verdict }) => verdict === 'disqualify').length;
    const message = `UID ${uid} cannot be disqualified yet: two people must agree, and ${said} did.`;
    throw new Failure('negative', message, {
      advice: `A reviewer agrees with: ailog reviews add ${uid} disqualify …`,
    });
  }
  const agreed = agreement.said.slice(0, 2);
  const list = (values: readonly (string | undefined)[]) =>
    [...new Set(values)].filter((value) => value !== undefined).join(', ');
  const statements = list(agreed.map(({ evidence }) => evidence?.sha256));
  return [
    `reviewed: ${list(agreed.map(({ reason }) => reason))}`,
    ...(statements === '' ? [] : [`statement SHA-256 ${statements}`]),
    `verdicts ${list(agreed.map(({ id }) => id))}`,
    ...agreement.withdrew.map(({ arn }) => `taken back by ${arn}`),
  ].join('; ');
}
