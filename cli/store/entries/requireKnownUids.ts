import { Failure } from '../../shell/terminal/failure.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import type { Target } from '../targets/target.ts';
import { entriesReader } from './entriesReader.ts';

/** Checks that UIDs are known: a mistyped one would look like a team without logs. @throws Failure with all others */
export async function requireKnownUids({ db, tables }: Target, uids: readonly string[] = []): Promise<void> {
  const reader = entriesReader(db, tables.aiLogs);
  const allowlist = allowlistEditor({ db, tables });
  const unknown: string[] = [];
  for (const uid of uids) {
    const isKnown =
      (await reader.page(uid, {}, { limit: 1 })).entries.length > 0 || (await allowlist.get(uid)) !== undefined;
    if (!isKnown) unknown.push(uid);
  }
  if (unknown.length === 0) return;
  const which =
    unknown.length === 1 ? `UID ${unknown[0]} is unknown: it has` : `UIDs ${unknown.join(', ')} are unknown: they have`;
  const advice = 'ailog allowlist list shows the UIDs of all teams.';
  throw new Failure('negative', `${which} no entries and no place on the allowlist.`, { advice });
}
