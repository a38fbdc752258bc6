import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENTRY_ID } from '../../../functions/ailog/entry.ts';
import { isSaid } from '../../review/verdicts/checkRecord.ts';
import { agreedReason, prepareVerdict, prepareWithdrawal, STILL_AGREED } from '../../review/verdicts/giveVerdict.ts';
import { readEvidence } from '../../review/verdicts/readEvidence.ts';
import { REASON_CODES, timeOf, type VerdictRecord } from '../../review/verdicts/record.ts';
import { formatStanding, readStandings } from '../../review/verdicts/standing.ts';
import { isOwnFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { requireListed, writeChanges } from '../../store/tables/changeAllowlist.ts';
import { isDraftChange } from './draft.ts';
import { runAilog } from './processes.ts';
import { type Console, collectNotes, type Query, uidIn } from './state.ts';

/** The pause between two looks at a sync, in milliseconds. */
const LOOK_MS = 200;

const STATEMENT = /^(\d+)-\d{8}T\d{6}\.statement$/;

/**
 * Returns the verdicts that stand about each team in a few words, the caller's own verdict, and whether it
 * waits for a second reviewer: one other person has judged it, in whatever way, or the queue would tell the verdict.
 */
export async function readVerdicts({ terminal, target }: Console) {
  const { of } = await readStandings(terminal, target);
  const shown = [...of].map(([uid, one]) => {
    const waits = one.own === undefined && one.verdicts.length + one.hidden === 1;
    return [uid, { text: formatStanding(one), own: one.own?.verdict, waits }] as const;
  });
  return Object.fromEntries(shown);
}

/** Returns everything about the case of a team: what stands, what came before, and what the caller can do. */
export async function readCase({ terminal, target, views }: Console, asked: Query) {
  const uid = uidIn(Object.fromEntries(asked));
  const noting = collectNotes(terminal);
  const { of, records, nameOf } = await readStandings(noting.terminal, target);
  const { verdicts = [], hidden = 0, own, agreement } = of.get(uid) ?? {};
  const [{ entry } = {}] = await readAllowlistEntries(target, [uid]);
  const shown = (record: VerdictRecord) => ({ ...record, by: nameOf(record), at: timeOf(record) });
  return {
    uid,
    notes: noting.notes,
    codes: REASON_CODES,
    hidden,
    isAgreed: agreement !== undefined,
    withdrew: agreement?.withdrew.map(nameOf) ?? [],
    status: entry?.status ?? 'not listed',
    statusReason: entry?.reason,
    caller: (await target.caller()).arn,
    standing: verdicts.map(({ id }) => id),
    own: own?.id,
    records: records.filter((record) => record.uid === uid).map(shown),
    statements: statementsOf(terminal.cwd(), uid),
    entries: views.figures()?.teams.find((team) => team.uid === uid)?.entries ?? 0,
  };
}

const statementsOf = (folder: string, uid: string): string[] =>
  readdirSync(folder)
    .filter((name) => STATEMENT.exec(name)?.[1] === uid && isOwnFile(join(folder, name)))
    .sort()
    .reverse();

/** Writes a statement about a team over the period of the figures. @throws Failure with what `ailog statement` says */
export async function buildStatement({ terminal, target, targetOptions, views }: Console, body: unknown) {
  const uid = uidIn(body);
  // Beside a sync, the statement would have only the entries that are read already.
  while (views.state().sync.doing === 'reading') await sleep(LOOK_MS);
  const at = new Date(await target.now()).toISOString().slice(0, 19).replace(/[-:]/g, '');
  const file = `${uid}-${at}.statement`;
  const { since, until } = await views.use(async ({ limits }) => limits);
  const period = Object.entries({ since, until }).flatMap(([name, time]) =>
    time === undefined ? [] : [`--${name}`, new Date(time).toISOString()],
  );
  const { said } = await runAilog(terminal, ['statement', '--uid', uid, '-o', file, ...period, ...targetOptions]);
  if (statementsOf(terminal.cwd(), uid).includes(file)) return { file, said };
  throw new Failure('negative', (said || 'The statement was not written.').split('\n'));
}

/** Gives a verdict of the caller. @param body what it says; `statement`: the name of one that the page has built */
export async function addVerdict({ terminal, target, views }: Console, body: unknown) {
  const uid = uidIn(body);
  const { statement, ...given } = body as Readonly<Record<string, unknown>>;
  // An empty field says nothing.
  const said: unknown = Object.fromEntries(Object.entries(given).filter(([, value]) => String(value) !== ''));
  if (!isSaid(said) || !(said.entries ?? []).every((id) => ENTRY_ID.test(id)))
    throw new Failure('usage', 'The verdict has a field that is missing or wrong.', { advice: 'Load the page again.' });
  const name = statementsOf(terminal.cwd(), uid).find((one) => one === statement);
  if (statement !== undefined && !name) throw new Failure('usage', `There is no such statement about UID ${uid}.`);
  const { from, until } = await views.use(async ({ period }) => period);
  const { write } = await prepareVerdict(target, {
    ...said,
    period: { from: new Date(from).toISOString(), until: new Date(until).toISOString() },
    ...(name && { evidence: (await readEvidence(join(terminal.cwd(), name), uid)).evidence }),
  });
  return write();
}

export async function undoVerdict({ target }: Console, body: unknown) {
  const { isAgreed } = await (await prepareWithdrawal(target, uidIn(body))).write();
  return { said: `Withdrawn.${isAgreed ? ` ${STILL_AGREED}` : ''}` };
}

/** Disqualifies a team on which two people agree, as `ailog allowlist disqualify --reviewed`. @param body `uid` */
export async function disqualify({ target, views }: Console, body: unknown) {
  const uid = uidIn(body);
  const [{ entry: before } = {}] = await requireListed(target, [uid]);
  const reason = await agreedReason(target, uid);
  const after = { ...before, uid, status: 'disqualified' as const, reason };
  await writeChanges(target, [{ uid, before, after, why: reason }]);
  views.syncNow(false);
  return {};
}

/** Returns all drafts of the caller as JSON: as bytes, so that each comes back as it was written. */
export const readDrafts = async ({ drafts }: Console): Promise<Uint8Array> =>
  Buffer.from(JSON.stringify(await drafts.all()));

/** Changes a draft of the caller, which only this machine keeps. @param body `uid`, and `change` with some fields */
export async function saveDraft({ drafts }: Console, body: unknown) {
  const uid = uidIn(body);
  const { change } = body as { readonly change?: unknown };
  if (!isDraftChange(change)) throw new Failure('usage', 'The draft has a field that is wrong.');
  await drafts.change(uid, change);
  return {};
}
