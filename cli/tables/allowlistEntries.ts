import { type AllowlistEntry, allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';

/** A UID and its allowlist entry, if it has one. */
export interface Listed {
  readonly uid: string;
  readonly entry: AllowlistEntry | undefined;
}

/** Returns true if a UID is on the allowlist, whatever its status is. A removed one is not. */
export const isListed = (entry: AllowlistEntry | undefined): boolean =>
  entry !== undefined && entry.status !== 'removed';

/** Reads the allowlist entries of UIDs, in the same order. */
export async function readAllowlistEntries(
  { db, tables }: Pick<Target, 'db' | 'tables'>,
  uids: readonly string[],
): Promise<Listed[]> {
  const allowlist = allowlistTable(db, tables.allowlist);
  const entries: Listed[] = [];
  for (const uid of uids) entries.push({ uid, entry: await allowlist.get(uid, readTimeout()) });
  return entries;
}

/** Describes an allowlist entry for JSON, its fields always in the same order. */
export const describeAllowlistEntry = ({ uid, status, team, note, reason, updatedAt, updatedBy }: AllowlistEntry) => ({
  uid,
  status,
  team,
  note,
  reason,
  updatedAt,
  updatedBy,
});

/**
 * Checks that UIDs are on the allowlist. A mistyped UID would otherwise get a key.
 * @param unlisted `--unlisted`: do not check
 * @throws Failure that names those that are not
 */
export function requireOwnersListed(owners: readonly Listed[], unlisted: true | undefined): void {
  const missing = owners.filter(({ entry }) => !isListed(entry)).map(({ uid }) => uid);
  if (unlisted || missing.length === 0) return;
  throw new Failure('negative', `Not on the allowlist: UID ${missing.join(', ')}. No key was stored.`, {
    advice: `Approve first: ailog allowlist add ${missing.join(' ')}. Or give --unlisted to allow it.`,
  });
}
