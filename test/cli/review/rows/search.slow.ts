import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();
const long = Array.from({ length: 3000 }, () => randomBytes(4).toString('hex')).join(' ');
await data.upload({ stage: 'Idea', explanation: 'Volume rises' });
await data.upload({ output: { text: `${long} Needle at the end` } });
await data.upload({ model: 'GPT-5', output: { text: 'S\u034fell\ufe00 t\u3164he qu\u0430ta' } });
await data.upload({ orderId: '42', input: { text: 'Line one\nLine "two"' } });
await data.upload({ model: 'İZ-ΟΔΟΣ', output: { text: 'x' } });
const damaged = await data.upload({ stage: 'Damaged' });
await data.tamper({ uid: data.owner.uid, entryId: damaged }, { body: new Uint8Array(3) });
await data.sequence();
await data.ailog(['data', 'sync']);

// biome-ignore format: one case a line
test.each<[string, string[], number]>([
  ['a text in any case', ['VOLUME'], 1],
  ['a text beyond what a row holds', ['needle AT'], 1],
  ['look-alikes and invisible characters', ['sell the quata'], 1],
  ['a line break and quotes', ['one\nline "two'], 1],
  ['a text as it was sent', ['\\nLine'], 1],
  ['an invisible character alone', ['\u034f'], 1],
  ['an entry without a row, by its stage', ['damaged'], 1],
  ['a text of one order', ['line', '--order', '42'], 1],
  ['a text that an order does not have', ['volume', '--order', '42'], 0],
  ['a text since a time', ['volume', '--since', '2030-01-01'], 0],
  ['everything, the newest first', ['e', '--limit', '3'], 3],
  ['a stage', ['--stage', 'IDEA'], 1],
  ['the stage of an entry without a row', ['--stage', 'damaged'], 1],
  ['a model with quotes', ['--model', "5'"], 0],
  ['a model with a sigma at its end', ['--model', 'οδος'], 1],
  ['a model with a dotted capital letter', ['--model', 'İZ'], 1],
  ['a model and a time', ['--model', 'gpt', '--since', '2020-01-01', '--limit', '1'], 1],
])('finds %s', async (_name, args, found) => {
  const { stdout, exitCode } = await data.ailog(['logs', 'list', ...args, '--json', '--no-sync']);
  expect(JSON.parse(stdout)).toHaveLength(found);
  expect(exitCode).toBe(found === 0 && args[0] === 'volume' ? 1 : 0);
});

test('without rows, --no-sync says what to do', async () => {
  rmSync(data.rowsFolder, { recursive: true });
  expect(await data.ailog(['logs', 'list', 'volume', '--no-sync'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^There are no rows .*\nRun it without --no-sync, or ailog data sync\.\n$/),
  });
});
