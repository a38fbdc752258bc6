import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flipBit, LONG_TEXT, openRowsData } from './rowsData.ts';

/** The bits that are flipped, one at a time, in all files of the rows: manifest, rows, and figures that are kept. */
const BITS = 270;

const data = await openRowsData();
for (const orderId of [5, 6, 7]) await data.upload({ orderId, explanation: orderId === 5 ? LONG_TEXT : 'ETH' });
await data.sequence();
data.file('orders.csv', `uid,order_id,time\n${data.owner.uid},5,${Date.now()}\n${data.owner.uid},8,${Date.now()}\n`);
const home = join(data.rowsFolder, 'figures');
const report = ['report', '--json', '--orders', 'orders.csv', '--until', '2099-01-01'];
await data.ailog(report);

/** Reads manifest, entries, leaves and kept figures. */
const readKept = () => data.ailog([...report, '--no-sync']);

/** Commands by the other kinds of files, which they read. The figures of the first one are never kept: it fails. */
const readers: Readonly<Record<string, readonly string[]>> = {
  near: [...report, '--within', '61s', '--no-sync'],
  texts: ['logs', 'list', 'eth', '--no-sync', '--json'],
};

test('no flipped bit changes a figure, and each damaged file is named by what reads it, and by nothing else', async () => {
  const whole = await readKept();
  expect([whole.exitCode, whole.stdout.includes('"ordersWithLog": 1')]).toEqual([0, true]);
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
    const reader = readers[name.split('/')[0] as string];
    const said = name === 'manifest.json' ? 'The manifest in ' : `damaged or gone: ${name}.`;
    const named = { exitCode: 1, stdout: '', stderr: expect.stringContaining(said) };
    const again = { ...whole, stderr: expect.stringContaining(`Made again, because it is damaged: ${path}.\n`) };
    flipBit(path, bit);
    const found = [await readKept(), reader && (await data.ailog([...reader]))];
    const expected = reader ? [whole, named] : [isMadeAgain ? again : named, undefined];
    try {
      expect(found).toEqual(expected);
    } catch {
      silent.push({ name, bit, found });
    }
    if (!isMadeAgain) flipBit(path, bit);
  }
  expect(silent).toEqual([]);
  expect(await readKept()).toEqual(whole);
});
