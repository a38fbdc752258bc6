import { type AllowlistEntry, allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { readTimeout } from '../data/readTimeout.ts';
import type { Target } from '../target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeAllowlistEntry } from './describeAllowlistEntry.ts';

/** An allowlist entry as it is, and as it is to be; the same object twice where nothing changes. */
export interface Change {
  readonly uid: string;
  readonly before: AllowlistEntry | undefined;
  readonly after: AllowlistEntry;
}

/** The allowlist entries of UIDs, in their order. */
export async function readAllowlistEntries(target: Target, uids: readonly string[]) {
  const allowlist = allowlistTable(target.db, target.tables.allowlist);
  const entries: { uid: string; entry: AllowlistEntry | undefined }[] = [];
  for (const uid of uids) entries.push({ uid, entry: await allowlist.get(uid, readTimeout()) });
  return entries;
}

/** Rejects UIDs that the allowlist does not have, all at once. @throws Failure */
export function requireListed(entries: readonly { uid: string; entry: AllowlistEntry | undefined }[]): void {
  const unknown = entries.filter(({ entry }) => entry === undefined || entry.status === 'removed');
  if (unknown.length === 0) return;
  const named = unknown.map(({ uid }) => uid).join(', ');
  throw new Failure('negative', `Not on the allowlist: UID ${named}. Nothing was changed.`, {
    advice: 'ailog allowlist list shows who is.',
  });
}

/**
 * Writes changes one after the other, each with who made it and when.
 * @throws Failure where somebody else changes the same allowlist entry at the same time; the changes before it are made
 */
export async function writeChanges(target: Target, changes: readonly Change[]): Promise<Change[]> {
  const editor = allowlistEditor(target.db, target.tables.allowlist);
  const updatedBy = await target.who();
  const written: Change[] = [];
  for (const { uid, before, after } of changes) {
    const signed = before === after ? after : { ...after, updatedAt: new Date().toISOString(), updatedBy };
    if (before !== after && !(await editor.replace(before, signed))) {
      throw new Failure('rejected', `UID ${uid} was changed by somebody else just now.`, {
        advice: `Look (ailog allowlist list) and run the command again. Changed so far: ${written.length}.`,
      });
    }
    written.push({ uid, before, after: signed });
  }
  return written;
}

/** Shows what was changed. */
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
