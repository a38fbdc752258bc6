import { Failure } from '../../shell/terminal/failure.ts';
import { findEntry, requireKnownUids } from '../../store/entries/selectEntries.ts';
import type { Target } from '../../store/targets/target.ts';
import { findProblem, type Said } from './checkRecord.ts';
import { peopleOf } from './people.ts';
import { type VerdictContent, type VerdictRecord, withId } from './record.ts';
import { reviewsTable } from './reviewsTable.ts';
import { shownStandings, standingOf } from './standing.ts';

/** The records of one person that a new record names: it always fits into an item of DynamoDB. */
const NAMED_OF_EACH = 100;

/** @param before all records that were read before, oldest first */
async function append(target: Target, before: readonly VerdictRecord[], content: VerdictContent) {
  const { id: author, arn } = await target.caller();
  const { personOf } = peopleOf(target);
  const ofTeam = before.filter(({ uid }) => uid === content.uid);
  const ofEach = [...Map.groupBy(ofTeam, (record) => personOf(record.author)).values()];
  const after = ofEach.flatMap((records) => records.slice(-NAMED_OF_EACH).map(({ id }) => id)).sort();
  const record: VerdictRecord = withId({ author, arn, ...content, after }, await target.now());
  await reviewsTable(target).append(record);
  return record;
}

/**
 * Checks a verdict of the caller, which replaces the one before. @param draft its entries may be starts of ids
 * @throws Failure that says what is missing or wrong
 */
export async function prepareVerdict(target: Target, draft: Said & Pick<VerdictContent, 'evidence' | 'period'>) {
  await requireKnownUids(target, [draft.uid]);
  const table = reviewsTable(target);
  const { records } = await table.read();
  const objection = peopleOf(target).findObjection((await target.caller()).id);
  const problem = objection ?? (await findProblem(draft, table.hasEntries));
  if (problem !== undefined) throw new Failure('usage', `No verdict was given: ${problem}.`);
  const found = await Promise.all((draft.entries ?? []).map((id) => findEntry(target, id, [draft.uid])));
  const content: VerdictContent = {
    ...draft,
    ...(found.length > 0 && { entries: found.map(({ entryId }) => entryId) }),
  };
  return { content, write: () => append(target, records, content) };
}

/**
 * Looks up the caller's verdict, to withdraw it. What is written says whether two people still agree to disqualify.
 * @throws Failure if there is no verdict
 */
export async function prepareWithdrawal(target: Target, uid: string) {
  const people = peopleOf(target);
  const { records } = await reviewsTable(target).read();
  const { own } = shownStandings(records, await target.caller(), people).get(uid) ?? {};
  if (own === undefined) throw new Failure('negative', `You have given no verdict about UID ${uid}.`);
  const content: VerdictContent = { uid, verdict: 'withdrawn', withdraws: own.id };
  return {
    content,
    async write() {
      const record = await append(target, records, content);
      const ofTeam = records.filter((one) => one.uid === uid);
      return { record, isAgreed: standingOf([...ofTeam, record], people).isAgreed };
    },
  };
}

/** Says that a withdrawal is not enough. */
export const STILL_AGREED =
  'Two people have agreed to disqualify this team. That stands until a second one withdraws too.';

/**
 * Returns the reason of a disqualification for the allowlist: the reason codes, digests of statements, and ids of
 * verdicts. @throws Failure if no two people agree
 */
export async function agreedReason(target: Pick<Target, 'db' | 'tables' | 'deployed'>, uid: string): Promise<string> {
  const people = peopleOf(target);
  const { records } = await reviewsTable(target).read();
  const ofTeam = records.filter((record) => record.uid === uid);
  const { verdicts, agreement } = standingOf(ofTeam, people);
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
    ...agreement.withdrew.map((record) => `taken back by ${people.personOf(record.author)}`),
  ].join('; ');
}
