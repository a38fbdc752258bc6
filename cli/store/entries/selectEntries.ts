import type { Entry } from '../../../functions/ailog/entry.ts';
import { date, orderId, uids } from '../../shell/terminal/arguments.ts';
import type { OptionValues, Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { nameSome } from '../../shell/text/numbers.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import type { Target } from '../targets/target.ts';
import { entriesReader } from './entriesReader.ts';
import type { EntryFilter, EntryKey } from './entryFilter.ts';
import { readPages } from './readPages.ts';

/** The options that select entries by the time at which they were signed. */
export const periodOptions = {
  since: {
    flags: '--since <date>',
    help: 'only entries signed from this time on: 2025-11-14 or 2025-11-14T09:30:00Z, UTC',
    read: date,
  },
  until: { flags: '--until <date>', help: 'only entries signed before this time', read: date },
} as const;

export const entryOptions = {
  uid: { flags: '--uid <uid>', help: 'only entries of this UID; can be repeated', read: uids },
  order: { flags: '--order <id>', help: 'only entries of this order', read: orderId },
  ...periodOptions,
  stage: { flags: '--stage <stage>', help: 'only entries with this text in their stage, in any case' },
  model: { flags: '--model <model>', help: 'only entries with this text in their model, in any case' },
} as const;

type EntryValues = Partial<OptionValues<typeof entryOptions>>;

/** Returns the filter that the options describe. @throws Failure if --since is not before --until */
export function readFilter({ uid: uids, order, since, until, stage, model }: EntryValues): EntryFilter {
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

/** Says which stages and models there are. */
export const describeValues = (values: Readonly<Record<'stages' | 'models', ReadonlySet<string>>>): string[] =>
  Object.entries(values)
    .filter(([, found]) => found.size > 0)
    .map(([name, found]) => `The ${name} are: ${nameSome([...found].sort(), NAMED_VALUES)}.`);

/** Says which stages and models the entries have that match the rest of a filter, if it has a stage or a model. */
export async function nameValues(terminal: Surroundings, target: Target, wanted: EntryFilter): Promise<string[]> {
  const { stage, model, ...filter } = wanted;
  if (stage === undefined && model === undefined) return [];
  const values = { stages: new Set<string>(), models: new Set<string>() };
  for await (const { entries } of readPages(terminal, entriesReader(target), filter)) {
    for (const entry of entries) {
      values.stages.add(entry.stage);
      values.models.add(entry.model);
    }
  }
  return describeValues(values);
}
