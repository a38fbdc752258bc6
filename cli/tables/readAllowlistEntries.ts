import { type AllowlistEntry, allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { readTimeout } from '../target/readTimeout.ts';
import type { Target } from '../target/target.ts';

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
