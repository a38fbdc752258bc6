import pMap from 'p-map';
import { type AllowlistChange, type AllowlistEntry, allowlistTable } from '../../../functions/allowlist/allowlist.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../targets/target.ts';
import { newId, recordedTable } from './recordedTable.ts';

/** The maximum number of recorded changes of a UID. The function reads them on every upload, so they must stay few. */
const HISTORY_LIMIT = 100;

/** Room for further changes that bar a UID, so that a full history never keeps a team in. */
const RESERVED_FOR_BARRING = 20;

type About = { readonly why: string | undefined };

/** Returns the change that made an entry what it is. An entry made by hand may lack its status. */
const changeTo = ({ status, updatedAt, updatedBy }: AllowlistEntry, from?: string): AllowlistChange => ({
  id: newId(),
  to: status ?? '',
  ...(updatedAt && { at: updatedAt }),
  ...(updatedBy && { by: updatedBy }),
  ...(from && { from }),
});

/** Returns the history of an entry. The first change of an entry without a history is the entry as it was found. */
function historyOf(entry: AllowlistEntry): readonly AllowlistChange[] {
  const { team, note, reason = note } = entry;
  return entry.history ?? [{ ...changeTo(entry), ...(team && { team }), ...(reason && { why: reason }) }];
}

/** Returns an entry with its change appended to its history. @throws Failure if the history is full */
function recordChange(current: AllowlistEntry | undefined, next: AllowlistEntry, { why }: Partial<About>) {
  const { uid, status, team } = next;
  const before = current ? historyOf(current) : [];
  if (before.length >= HISTORY_LIMIT + (status === 'approved' ? 0 : RESERVED_FOR_BARRING)) {
    throw new Failure('negative', `The history of UID ${uid} is full: ${before.length} changes.`, {
      advice: `Save it (ailog allowlist show ${uid} --json), then delete its oldest changes from the table by hand.`,
    });
  }
  const renamed = team && team !== current?.team;
  const change = { ...changeTo(next, current?.status), ...(renamed && { team }), ...(why && { why }) };
  return { ...next, history: [...before, change] };
}

export const allowlistEditor = ({ db, tables }: Pick<Target, 'db' | 'tables'>) =>
  recordedTable<AllowlistEntry, About>(db, tables.allowlist, {
    read: allowlistTable(db, tables.allowlist).get,
    partitionKey: 'uid',
    attributes: ['status', 'team', 'note', 'reason', 'updatedAt', 'updatedBy'],
    record: recordChange,
  });

export type Listed = { readonly uid: string; readonly entry: AllowlistEntry | undefined };

/** Returns true if a UID is on the allowlist, in any status but `removed`. */
export const isListed = (entry: AllowlistEntry | undefined): boolean =>
  entry !== undefined && entry.status !== 'removed';

const IN_TURN = { concurrency: 8 };

/** Reads the allowlist entries of UIDs, in the same order. */
export const readAllowlistEntries = (target: Pick<Target, 'db' | 'tables'>, uids: readonly string[]) =>
  pMap(uids, async (uid): Promise<Listed> => ({ uid, entry: await allowlistEditor(target).get(uid) }), IN_TURN);

/** Describes an allowlist entry for JSON, its fields always in the same order. */
export function describeAllowlistEntry(entry: AllowlistEntry) {
  const { uid, status, team, note, reason, updatedAt, updatedBy } = entry;
  return { uid, status, team, note, reason, updatedAt, updatedBy };
}

/** Checks that UIDs are on the allowlist, unless `--unlisted`: a mistyped one would get a key. @throws Failure */
export function requireOwnersListed(owners: readonly Listed[], unlisted: boolean): void {
  const missing = owners.filter(({ entry }) => !isListed(entry)).map(({ uid }) => uid);
  if (unlisted || missing.length === 0) return;
  throw new Failure('negative', `Not on the allowlist: UID ${missing.join(', ')}. No key was stored.`, {
    advice: `Approve first: ailog allowlist add ${missing.join(' ')}. Or give --unlisted to allow it.`,
  });
}
