import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { tamper } from '../../commands/logs/entries.ts';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();
afterAll(() => data.engine.stop());
const long = Array.from({ length: 3000 }, () => randomBytes(4).toString('hex')).join(' ');
await data.upload({ stage: 'Idea', explanation: 'Volume rises' });
await data.upload({ output: { text: `${long} Needle at the end` } });
await data.upload({ model: 'GPT-5', output: { text: 'S\u034fell\ufe00 t\u3164he qu\u0430ta' } });
await data.upload({ orderId: '42', input: { text: 'Line one\nLine "two"' } });
await data.upload({ model: 'İZ-ΟΔΟΣ', output: { text: 'x' } });
const damaged = await data.upload({ stage: 'Damaged' });
await tamper(data.fixture, { uid: data.team.uid, entryId: damaged }, { body: new Uint8Array(3) });
await data.sequence();
await data.ailog(['data', 'sync']);

const answer = async (args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await data.ailog(['logs', ...args, '--json']);
  return { exitCode, entries: JSON.parse(stdout), stderr };
};

// biome-ignore format: one case a line
test.each<[string, string[], number]>([
  ['a text in any case', ['search', 'VOLUME'], 1],
  ['a text beyond what a row holds', ['search', 'needle AT'], 1],
  ['look-alikes and invisible characters', ['search', 'sell the quata'], 1],
  ['a line break and quotes', ['search', 'one\nline "two'], 1],
  ['a text as it was sent', ['search', '\\nLine'], 1],
  ['an invisible character alone', ['search', '\u034f'], 1],
  ['an entry without a row, by its stage', ['search', 'damaged'], 1],
  ['a text of one order', ['search', 'line', '--order', '42'], 1],
  ['a text that an order does not have', ['search', 'volume', '--order', '42'], 0],
  ['a text since a time', ['search', 'volume', '--since', '2030-01-01'], 0],
  ['everything, the newest first', ['search', 'e', '--limit', '3'], 3],
  ['a stage', ['list', '--stage', 'IDEA'], 1],
  ['the stage of an entry without a row', ['list', '--stage', 'damaged'], 1],
  ['a model with quotes', ['list', '--model', "5'"], 0],
  ['a model with a sigma at its end', ['list', '--model', 'οδος'], 1],
  ['a model with a dotted capital letter', ['list', '--model', 'İZ'], 1],
  ['a model and a time', ['list', '--model', 'gpt', '--since', '2020-01-01', '--limit', '1'], 1],
])('rows and table have the same answer: %s', async (_name, args, found) => {
  const byRows = await answer([...args, '--no-sync']);
  const { stderr: _note, ...byTable } = await answer([...args, '--no-cache']);
  expect(byRows).toMatchObject(byTable);
  expect(byRows.entries).toHaveLength(found);
});

test('without rows, --no-sync says what to do, and --no-cache keeps nothing', async () => {
  await data.ailog(['data', 'purge']);
  expect(await data.ailog(['logs', 'search', 'volume', '--no-sync'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^There are no rows .*\nRun it without --no-sync, or ailog data sync\.\n$/),
  });
  expect((await data.ailog(['logs', 'search', 'volume', '--no-cache'])).exitCode).toBe(0);
  expect((await data.ailog(['data', 'purge'])).stderr).toMatch(/^There are no rows/);
});
