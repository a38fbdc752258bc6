import type { AllowlistEntry } from '../../functions/allowlist/allowlist.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import { allowlistEditor } from './allowlistEditor.ts';

export interface Listed {
  readonly uid: string;
  readonly entry: AllowlistEntry | undefined;
}

/** Returns true if a UID is on the allowlist, whatever its status is. A removed one is not. */
export const isListed = (entry: AllowlistEntry | undefined): boolean =>
  entry !== undefined && entry.status !== 'removed';

/** Reads the allowlist entries of UIDs, in the same order. */
export async function readAllowlistEntries(
  target: Pick<Target, 'db' | 'tables'>,
  uids: readonly string[],
): Promise<Listed[]> {
  const allowlist = allowlistEditor(target);
  const entries: Listed[] = [];
  for (const uid of uids) entries.push({ uid, entry: await allowlist.get(uid) });
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

/** Checks that UIDs are on the allowlist, unless `--unlisted`: a mistyped one would get a key. @throws Failure */
export function requireOwnersListed(owners: readonly Listed[], unlisted: true | undefined): void {
  const missing = owners.filter(({ entry }) => !isListed(entry)).map(({ uid }) => uid);
  if (unlisted || missing.length === 0) return;
  throw new Failure('negative', `Not on the allowlist: UID ${missing.join(', ')}. No key was stored.`, {
    advice: `Approve first: ailog allowlist add ${missing.join(' ')}. Or give --unlisted to allow it.`,
  });
}
