import type { Entry } from '../../../functions/ailog/entry.ts';
import { date, orderId, uids } from '../../shell/terminal/arguments.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { nameSome } from '../../shell/text/numbers.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import { type Target, targetCommand } from '../targets/target.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';
import { readPages } from './readPages.ts';

/** Creates a command that works on the entries that its options select. */
export const entryCommand = (...about: Parameters<typeof targetCommand>) =>
  targetCommand(...about)
    .option('--uid <uid>', 'only entries of this UID; can be repeated', uids)
    .option('--order <id>', 'only entries of this order', orderId)
    .option('--since <date>', 'only entries signed from this time on: 2025-11-14 or 2025-11-14T09:30:00Z, UTC', date)
    .option('--until <date>', 'only entries signed before this time', date)
    .option('--stage <stage>', 'only entries with this text in their stage, in any case')
    .option('--model <model>', 'only entries with this text in their model, in any case');

type Options = ReturnType<ReturnType<typeof entryCommand>['opts']>;
type EntryOptions = { readonly [Name in keyof Options]?: Options[Name] | undefined };

/** Returns the filter that the options describe. @throws Failure if --since is not before --until */
export function readFilter({ uid: uids, order, since, until, stage, model }: EntryOptions): EntryFilter {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Failure('usage', '--since must be before --until, which is exclusive.');
  }
  return { uids, orderId: order, since, until, stage, model };
}

/** Checks that UIDs are known: a mistyped one would look like a team without logs. @throws Failure with all others */
export async function requireKnownUids(target: Target, uids: readonly string[] = []): Promise<void> {
  const reader = entriesReader(target);
  const allowlist = allowlistEditor(target);
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

const MAX_NAMED = 10;

/** Finds an entry by the start of its id: two small reads per UID. @throws Failure if there is none, or several */
export async function findEntry(target: Target, id: string, uids: readonly string[] | undefined): Promise<Entry> {
  await requireKnownUids(target, uids);
  const reader = entriesReader(target);
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

const NAMED_VALUES = 20;

/** Notes which stages and models the entries have that match the rest of a filter, if it has a stage or a model. */
export async function noteValues(terminal: Surroundings, target: Target, wanted: EntryFilter): Promise<void> {
  const { stage, model, ...filter } = wanted;
  if (stage === undefined && model === undefined) return;
  const values = { stages: new Set<string>(), models: new Set<string>() };
  for await (const { entries } of readPages(terminal, entriesReader(target), filter)) {
    for (const entry of entries) {
      values.stages.add(entry.stage);
      values.models.add(entry.model);
    }
  }
  for (const [name, found] of Object.entries(values)) {
    if (found.size > 0) terminal.note(`The ${name} are: ${nameSome([...found].sort(), NAMED_VALUES)}.`);
  }
}
