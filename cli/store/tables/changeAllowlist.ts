import type { AllowlistEntry } from '../../../functions/allowlist/allowlist.ts';
import { uids } from '../../shell/terminal/arguments.ts';
import {
  type Asked,
  type Command,
  defineChange,
  type Options,
  type Question,
} from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { onTarget, type Target } from '../targets/target.ts';
import {
  allowlistEditor,
  describeAllowlistEntry,
  isListed,
  type Listed,
  readAllowlistEntries,
} from './allowlistEditor.ts';
import { failWrite } from './recordedTable.ts';

/** An allowlist entry before and after a change; the same object twice if nothing changes. */
export interface Change {
  readonly uid: string;
  readonly before: AllowlistEntry | undefined;
  readonly after: AllowlistEntry;
  readonly why: string | undefined;
}

/** Reads the entries of UIDs. @throws Failure that names those that are not on the allowlist */
export async function requireListed(target: Target, uids: readonly string[]): Promise<Listed[]> {
  const entries = await readAllowlistEntries(target, uids);
  const unknown = entries.filter(({ entry }) => !isListed(entry));
  if (unknown.length === 0) return entries;
  const named = unknown.map(({ uid }) => uid).join(', ');
  throw new Failure('negative', `Not on the allowlist: UID ${named}. Nothing was changed.`, {
    advice: 'ailog allowlist list shows the allowlist.',
  });
}

/** Returns true if an entry has this status, also if an admin typed it with other case or spaces. */
export const hasStatus = (entry: AllowlistEntry | undefined, status: AllowlistEntry['status']): boolean =>
  String(entry?.status).trim().toLowerCase() === status;

/** Names UIDs with their statuses and the reasons. An entry made by hand may have its reason as its note. */
export const nameBarred = (entries: readonly Listed[]): string =>
  entries
    .map(
      ({ uid, entry: { status, note, reason = note } = {} as AllowlistEntry }) =>
        `UID ${uid} is ${status}${reason ? ` (${reason})` : ''}`,
    )
    .join('; ');

/** Returns the fields of an entry that a change of its status keeps: all but the reason of the status before. */
export function keptFields(entry: AllowlistEntry | undefined): Partial<AllowlistEntry> {
  const { reason: _before, ...kept } = entry ?? ({} as Partial<AllowlistEntry>);
  return kept;
}

export const LIFT = { flags: '--lift-disqualification', help: 'lift disqualifications without asking' } as const;

/** Returns the question before a change lifts disqualifications. Only its own option answers it, not `--yes`. */
export function askLift(target: Target, entries: readonly Listed[], lift: boolean): Question[] {
  const disqualified = entries.filter(({ entry }) => hasStatus(entry, 'disqualified'));
  if (disqualified.length === 0) return [];
  const ask = `${nameBarred(disqualified)}. Lift the disqualification in ${target.name}?`;
  return [{ ask, option: LIFT.flags, given: lift }];
}

/** Writes changes one after the other, each with its author and time. @throws Failure; earlier changes are kept */
export async function writeChanges(target: Target, changes: readonly Change[]): Promise<Change[]> {
  const editor = allowlistEditor(target);
  const updatedBy = await target.who();
  const written: Change[] = [];
  for (const change of changes) {
    const { uid, before, after, why } = change;
    const signed = { ...after, updatedAt: new Date(await target.now()).toISOString(), updatedBy };
    const { outcome } = await target.uninterrupted(`Check it: ailog allowlist show ${uid}`, () =>
      editor.replace(before, signed, { why }),
    );
    const advice = `Check it with ailog allowlist show ${uid}, and run the command again. Changed so far: ${written.length}.`;
    if (outcome !== 'stored') throw failWrite(`UID ${uid}`, outcome, { changed: advice, unknown: advice });
    written.push({ ...change, after: signed });
  }
  return written;
}

const describeChange = ({ uid, before, after: { status: now, team, note, reason } }: Change) => {
  return { uid, before: before?.status ?? 'not listed', now, team, note, ...(reason && { reason }) };
};

/** Plans to write the same fields to entries, each with its author and time. @param why for the history */
export function planChange(
  target: Target,
  entries: readonly Listed[],
  fields: Pick<AllowlistEntry, 'status'> & Partial<AllowlistEntry>,
  { why, questions }: { readonly why: string | undefined; readonly questions: readonly Question[] },
) {
  const changes = entries.map(({ uid, entry }) => {
    return { uid, before: entry, after: { ...keptFields(entry), uid, ...fields }, why };
  });
  return { plan: changes.map(describeChange), questions, apply: () => writeChanges(target, changes) };
}

const showPlan = (plan: readonly ReturnType<typeof describeChange>[]) => [{ table: plan, wraps: true }];

const ARGS = { owners: { name: '<uid...>', help: 'UIDs of teams', read: uids } } as const;

/** Defines a command that changes UIDs by `planChange`. */
export const defineAllowlistChange = <const O extends Options>(
  command: Pick<Command, 'words' | 'summary' | 'details' | 'examples'> & {
    readonly options: O;
    readonly run: (
      asked: Asked<typeof ARGS, O>,
      context: { readonly target: Target },
    ) => Promise<ReturnType<typeof planChange>>;
  },
): Command =>
  defineChange({
    ...command,
    ...{ for: 'Admins', args: ARGS, on: onTarget, forms: ['wide'] },
    run: (asked: Asked<typeof ARGS, O>, context) => command.run(asked, context),
    json: (changes) => changes.map(({ after }) => describeAllowlistEntry(after)),
    plans: (plan) => showPlan(plan),
    shows: (changes) => showPlan(changes.map(describeChange)),
  });
