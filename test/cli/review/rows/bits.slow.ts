import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { flipBit, LONG_TEXT, openRowsData } from './rowsData.ts';

/** The bits that are flipped, one at a time, in all files of the rows: manifest, rows, and figures that are kept. */
const BITS = 270;

const data = await openRowsData();
afterAll(() => data.engine.stop());
for (const orderId of [5, 6, 7]) await data.upload({ orderId, explanation: orderId === 5 ? LONG_TEXT : 'ETH' });
await data.sequence();
data.file('orders.csv', `uid,order_id,time\n${data.team.uid},5,${Date.now()}\n${data.team.uid},8,${Date.now()}\n`);
const home = join(data.rowsFolder, 'figures');
const report = ['report', '--json', '--orders', 'orders.csv', '--until', '2099-01-01'];
await data.ailog(report);

/** Runs two commands that read all files between them. */
async function read() {
  const ran = [await data.ailog([...report, '--no-sync'])];
  ran.push(await data.ailog(['logs', 'list', 'eth', '--no-sync', '--json']));
  const textOf = (name: 'exitCode' | 'stdout' | 'stderr') => ran.map((one) => one[name]).join('');
  return { exitCodes: textOf('exitCode'), stdout: textOf('stdout'), stderr: textOf('stderr') };
}

test('no flipped bit changes a figure, and each damaged file is named', async () => {
  const whole = await read();
  expect([whole.exitCodes, whole.stdout.includes('"ordersWithLog": 1')]).toEqual(['00', true]);
  const { files } = data.manifest();
  const readable = () => {
    const about = readdirSync(home).filter((name) => name.endsWith('.json'));
    const kept = about.map((name) => JSON.parse(readFileSync(join(home, name), 'utf8'))[1].file);
    const figures = [...about, ...kept].map((name) => `figures/${name}`);
    return ['manifest.json', ...files.map(({ name }) => name), ...figures].sort();
  };
  const parts = new Set(readable().map((name) => name.split('/')[0]));
  expect([...parts].sort()).toEqual(['entries', 'figures', 'leaves', 'manifest.json', 'near', 'texts']);
  const silent: unknown[] = [];
  for (let place = 0; place < BITS; place += 1) {
    const names = readable();
    const name = names[place % names.length] as string;
    const path = join(data.rowsFolder, name);
    const bit = Math.floor((place / BITS) * statSync(path).size * 8);
    const isMadeAgain = name.startsWith('figures');
    const expected = isMadeAgain
      ? { ...whole, stderr: `Made again, because it is damaged: ${path}.\n` }
      : {
          exitCodes: '11',
          stdout: '',
          stderr: name === 'manifest.json' ? 'The manifest in ' : `damaged or gone: ${name}.`,
        };
    flipBit(path, bit);
    const found = await read();
    const isRight = found.exitCodes === expected.exitCodes && found.stdout === expected.stdout;
    if (!isRight || !found.stderr.includes(expected.stderr)) silent.push({ name, bit, ...found });
    if (!isMadeAgain) flipBit(path, bit);
  }
  expect(silent).toEqual([]);
  expect(await read()).toEqual(whole);
});
