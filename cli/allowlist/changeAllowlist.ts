import { type AllowlistEntry, allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { readTimeout } from '../data/readTimeout.ts';
import type { Target } from '../target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeAllowlistEntry } from './describeAllowlistEntry.ts';

/** An allowlist entry before and after a change; the same object twice if nothing changes. */
export interface Change {
  readonly uid: string;
  readonly before: AllowlistEntry | undefined;
  readonly after: AllowlistEntry;
}

/** Reads the allowlist entries of UIDs, in the same order. */
export async function readAllowlistEntries(target: Target, uids: readonly string[]) {
  const allowlist = allowlistTable(target.db, target.tables.allowlist);
  const entries: { uid: string; entry: AllowlistEntry | undefined }[] = [];
  for (const uid of uids) entries.push({ uid, entry: await allowlist.get(uid, readTimeout()) });
  return entries;
}

/** Checks that all UIDs are on the allowlist. @throws Failure that names those that are not */
export function requireListed(entries: readonly { uid: string; entry: AllowlistEntry | undefined }[]): void {
  const unknown = entries.filter(({ entry }) => entry === undefined || entry.status === 'removed');
  if (unknown.length === 0) return;
  const named = unknown.map(({ uid }) => uid).join(', ');
  throw new Failure('negative', `Not on the allowlist: UID ${named}. Nothing was changed.`, {
    advice: 'ailog allowlist list shows the allowlist.',
  });
}

/**
 * Writes changes one after the other, each with its author and time.
 * @throws Failure if someone else changed the same allowlist entry meanwhile; earlier changes are kept
 */
export async function writeChanges(target: Target, changes: readonly Change[]): Promise<Change[]> {
  const editor = allowlistEditor(target.db, target.tables.allowlist);
  const updatedBy = await target.who();
  const written: Change[] = [];
  for (const { uid, before, after } of changes) {
    const signed = before === after ? after : { ...after, updatedAt: new Date().toISOString(), updatedBy };
    if (before !== after && !(await editor.replace(before, signed))) {
      throw new Failure('rejected', `Someone else has just changed UID ${uid}.`, {
        advice: `Check it with ailog allowlist list, and run the command again. Changed so far: ${written.length}.`,
      });
    }
    written.push({ uid, before, after: signed });
  }
  return written;
}

/** Shows changes. */
export async function showChanges(terminal: Terminal, json: true | undefined, changes: readonly Change[]) {
  if (json) return terminal.json(changes.map(({ after }) => describeAllowlistEntry(after)));
  return terminal.table(
    changes.map(({ uid, before, after }) => ({
      uid,
      before: before?.status ?? 'not listed',
      now: after.status,
      team: after.team,
      note: after.note,
    })),
  );
}
