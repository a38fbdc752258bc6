import { afterAll, expect, test } from 'vitest';
import { findCandidates } from '../../../../cli/review/rows/filterRows.ts';
import { emptyManifest, type Problem } from '../../../../cli/review/rows/rowStore.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import type { EntryFilter } from '../../../../cli/store/entries/entryFilter.ts';
import { composeEntry, type Entry } from '../../../../functions/ailog/entry.ts';
import { FEATURE_COLUMNS, featureRow } from '../../../../functions/features/featureRow.ts';
import { TEXT_COLUMNS } from '../../../../functions/features/rowFile.ts';
import { received } from '../../../ailog/received.ts';

const T = received.receivedAt;

/** An entry that was signed some milliseconds after T. */
function entryOf(uid: string, ms: number, text: string, { stage = 'Idea', model = 'GPT-5', orderId = '' } = {}): Entry {
  const log = { stage, model, ...(orderId && { orderId }), input: { text }, output: {} };
  const times = { receivedAt: T + ms, timestamp: String(T + ms) };
  return composeEntry(log, { ...received, ...times, uid, rawBody: Buffer.from(JSON.stringify(log)) });
}

const entries = {
  first: entryOf('1', 0, 'Volume rises'),
  second: entryOf('1', 1, 'Prices fall', { stage: 'Decision', orderId: '42' }),
  third: entryOf('2', 2, `${'word '.repeat(3000)}needle`, { model: 'İZ-ΟΔΟΣ' }),
  gone: entryOf('2', 3, 'Volume falls'),
};
type Name = keyof typeof entries;
const nameOf = (id: string) => (Object.keys(entries) as Name[]).find((name) => entries[name].entryId === id);

const engine = await openEngine({ threads: 1 });
afterAll(() => engine.close());
const made = Object.values(entries).map((entry) => featureRow(entry));
await (await engine.table('entries', FEATURE_COLUMNS))(made.map(({ row }) => row));
const textOf = ({ row: { uid, entry_id }, search }: (typeof made)[number]) => ({ uid, entry_id, search });
await (await engine.table('texts', TEXT_COLUMNS.types))(made.map(textOf));

/** Finds candidates. The table does not have the last entry any more. */
async function find(filter: EntryFilter, text?: string, problems: readonly Problem[] = []) {
  const readAll = async (keys: readonly { entryId: string }[]) =>
    Object.values(entries).filter(
      ({ entryId }) => entries.gone.entryId !== entryId && keys.some((key) => key.entryId === entryId),
    );
  const manifest = { ...emptyManifest('table'), problems };
  const found = await findCandidates({ engine, manifest } as never, { readAll } as never, filter, text);
  const batches = await Array.fromAsync(found.entries());
  return [found.counts, batches.flat().map(({ entry, isSure }) => [entry && nameOf(entry.entryId), isSure])];
}

const gone = [undefined, true] as const;
const sure = (...names: Name[]) => names.map((name) => [name, true]);

// biome-ignore format: a case a line
test.each<[string, EntryFilter, string | undefined, readonly (readonly [Name | undefined, boolean])[]]>([
  ['everything, the newest first', {}, undefined, [gone, ['third', true], ['second', true], ['first', true]]],
  ['from a millisecond on', { since: T + 1 }, undefined, [gone, ['third', true], ['second', true]]],
  ['before a millisecond', { until: T + 1 }, undefined, [['first', true]]],
  ['of a team', { uids: ['1'] }, undefined, [['second', true], ['first', true]]],
  ['of no team', { uids: [] }, undefined, []],
  ['of an order', { orderId: 42n }, undefined, [['second', true]]],
  ['a stage in any case', { stage: 'DECI' }, undefined, [['second', true]]],
  ['a model with a sigma at its end', { model: 'οδος' }, undefined, [['third', true]]],
  ['a model with a dotted capital', { model: 'İZ' }, undefined, [['third', true]]],
  ['a text, or one that may be beyond the cut', {}, 'VOLUME', [gone, ['third', false], ['first', true]]],
  ['a text as it was sent, which no row has', {}, '\\n', [[undefined, false], ['third', false], ['second', false], ['first', false]]],
  ['a character that is not seen', { uids: ['1'] }, '\u034f', [['second', false], ['first', false]]],
])('finds %s', async (_name, filter, text, expected) => {
  const isSure = expected.filter(([, one]) => one).length;
  expect(await find(filter, text)).toEqual([{ sure: isSure, unsure: expected.length - isSure }, expected]);
});

test('an entry with a problem is never sure, once, and in the place of its row', async () => {
  const { uid, entryId } = entries.first;
  const problems = [{ uid, entryId, problem: 'changed', hasRow: true }];
  expect(await find({ uids: ['1'] }, undefined, problems)).toEqual([
    { sure: 1, unsure: 1 },
    [...sure('second'), ['first', false]],
  ]);
  // It does not match the filter as it is now.
  expect(await find({ uids: ['1'], since: T + 1 }, undefined, problems)).toEqual([
    { sure: 1, unsure: 1 },
    sure('second'),
  ]);
});
