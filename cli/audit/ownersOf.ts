import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';

/** The most UIDs that are tried. */
const LIMIT = 2000;

/**
 * Creates a lookup of the UIDs to which an entry may have belonged: the owner of its access key, then those on the
 * allowlist. Both are read only once.
 */
export function ownersOf(target: Target | undefined): (accessKey: unknown) => Promise<string[]> {
  if (!target) return async () => [];
  const { db, tables } = target;
  const owners = new Map<string, Promise<string | undefined>>();
  let listed: Promise<string[]> | undefined;
  return async (accessKey) => {
    const key = String(accessKey);
    const owner =
      owners.get(key) ??
      apiKeysTable(db, tables.apiKeys)
        .get(key, readTimeout())
        .then((one) => one?.uid);
    if (owners.size < LIMIT) owners.set(key, owner);
    listed ??= Array.fromAsync(allowlistEditor(db, tables.allowlist).all(), ({ uid }) => uid);
    const [first, others] = await Promise.all([owner, listed]);
    return [...new Set([...(first === undefined ? [] : [first]), ...others])].slice(0, LIMIT);
  };
}
