import type { Entry } from '../../functions/ailog/entry.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import { visible } from '../text/visible.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryKey } from './entryFilter.ts';

/** The maximum number of entries that are named if an id fits several. */
const MAX_NAMED = 10;

/**
 * Finds an entry by its id or by the start of its id. Without UIDs, it takes two small reads per UID.
 * @throws Failure if there is none, or more than one
 */
export async function findEntry(target: Target, id: string, uids: readonly string[] | undefined): Promise<Entry> {
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
    throw new Failure('negative', `There is no entry ${id}${whose}.`, {
      advice: 'ailog logs list shows the newest entries. The header AI-LOG-ID of an upload is its entry id.',
    });
  }
  if (keys.length > 1) {
    const names = keys.slice(0, MAX_NAMED).map(({ uid, entryId }) => `UID ${visible(uid)}: ${visible(entryId)}`);
    throw new Failure('usage', `Several entries begin with ${id}:\n${names.join('\n')}`, {
      advice: 'Give more of the entry id, or --uid.',
    });
  }
  const entry = await reader.get(key);
  if (entry === undefined) throw new Failure('negative', `The entry ${key.entryId} was deleted just now.`);
  return entry;
}
