import { describe, expect, test } from 'vitest';
import { entriesReader } from '../../../../cli/store/entries/entriesReader.ts';
import { readInOrder } from '../../../../cli/store/entries/readPages.ts';
import { entryVerifier } from '../../../../cli/store/entries/verifyEntry.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { aiLog, inProcess, jsonOf, signedUpload, world } from '../../../setup/world.ts';

const long = `${'📉'.repeat(255)}ab`;
const cut = `${'📉'.repeat(255)}a`;

const fixture = await world();
const team = await fixture.team();
const transport = inProcess(fixture.dependencies());
for (const [stage, model] of [
  [long, long],
  [long, 'short'],
] as const) {
  await transport.send(signedUpload(team, { body: jsonOf({ ...aiLog, stage, model }) }));
}

test('verification accepts the cut copies, and no other', async () => {
  const entries = await fixture.entriesOf(team.uid);
  expect(entries.map(({ stage }) => stage).sort()).toEqual([cut, cut]);
  const verify = entryVerifier({ ...fixture, tables: fixture.names });
  const fieldsOf = async (change: Partial<Entry>) => {
    const verdicts = await Promise.all(entries.map((entry) => verify({ ...entry, ...change })));
    return verdicts.map(({ fields }) => fields);
  };
  expect(await fieldsOf({})).toEqual(['ok', 'ok']);
  expect(await fieldsOf({ stage: cut.slice(0, -1) })).toEqual(['wrong: stage', 'wrong: stage']);
  expect(await fieldsOf({ stage: long })).toEqual(['wrong: stage', 'wrong: stage']);
  expect(await fieldsOf({ model: 'm' })).toEqual(['wrong: model', 'wrong: model']);
});

describe('a filter by stage and model', () => {
  test.each([
    ['in full length', { stage: long }, 2],
    ['as the entry keeps it', { stage: cut }, 2],
    ['in another case, by a part', { model: 'HORT' }, 1],
    ['that starts differently', { stage: `x${long}` }, 0],
    ['and a model in full length', { stage: long, model: long }, 1],
    ['and another model', { stage: long, model: 'short' }, 1],
  ])('%s finds the entries of a team, of all teams and of an order', async (_name, filter, count) => {
    const reader = entriesReader({ db: fixture.db, tables: fixture.names });
    for (const where of [{ uids: [team.uid] }, {}, { orderId: aiLog.orderId }]) {
      const pages = await Array.fromAsync(readInOrder(reader, { ...where, ...filter }));
      expect(pages.flatMap(({ entries }) => entries)).toHaveLength(count);
    }
  });
});
