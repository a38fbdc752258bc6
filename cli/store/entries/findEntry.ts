import type { Entry } from '../../../functions/ailog/entry.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../targets/target.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryKey } from './entryFilter.ts';
import { requireKnownUids } from './requireKnownUids.ts';

const MAX_NAMED = 10;

/** Finds an entry by the start of its id: two small reads per UID. @throws Failure if there is none, or several */
export async function findEntry(target: Target, id: string, uids: readonly string[] | undefined): Promise<Entry> {
  await requireKnownUids(target, uids);
  const reader = entriesReader(target.db, target.tables.aiLogs);
  const keys: EntryKey[] = [];
  for await (const uid of uids ?? reader.uids()) {
    const ids = await reader.idsWithPrefix(uid, id, MAX_NAMED);
    keys.push(...ids.map((entryId) => ({ uid, entryId })));
    if (keys.length > MAX_NAMED) break;
  }
  const [key] = keys;
  if (key === undefined) {
    const whose = uids === undefined ? '' : ` of UID ${uids.join(', ')}`;
    const advice = 'ailog logs list shows the newest entries. The header AI-LOG-ID of an upload is its entry id.';
    throw new Failure('negative', `There is no entry ${id}${whose}.`, { advice });
  }
  if (keys.length > 1) {
    const names = keys.slice(0, MAX_NAMED).map(({ uid, entryId }) => `UID ${uid}: ${entryId}`);
    const advice = 'Give more of the entry id, or --uid.';
    throw new Failure('usage', [`Several entries begin with ${id}:`, ...names], { advice });
  }
  const entry = await reader.get(key);
  if (entry === undefined) throw new Failure('negative', `The entry ${key.entryId} was deleted just now.`);
  return entry;
}
