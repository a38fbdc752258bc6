import { allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import { entriesReader } from './entriesReader.ts';

/**
 * Checks that every UID has entries or is on the allowlist, so that a mistyped UID does not look like a team without
 * logs.
 * @throws Failure that names all other UIDs
 */
export async function requireKnownUids({ db, tables }: Target, uids: readonly string[] = []): Promise<void> {
  const reader = entriesReader(db, tables.aiLogs);
  const allowlist = allowlistTable(db, tables.allowlist);
  const unknown: string[] = [];
  for (const uid of uids) {
    const isKnown = (await reader.hasEntries(uid)) || (await allowlist.get(uid, readTimeout())) !== undefined;
    if (!isKnown) unknown.push(uid);
  }
  if (unknown.length === 0) return;
  const which =
    unknown.length === 1 ? `UID ${unknown[0]} is unknown: it has` : `UIDs ${unknown.join(', ')} are unknown: they have`;
  throw new Failure('negative', `${which} no entries and no place on the allowlist.`, {
    advice: 'ailog allowlist list shows the UIDs of all teams.',
  });
}
