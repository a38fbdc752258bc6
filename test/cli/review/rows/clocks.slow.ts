import { setTimeout as pause } from 'node:timers/promises';
import { DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { createTables } from '../../../../cli/local/localData.ts';
import { HOUR_MS, MINUTE_MS } from '../../../setup/time.ts';
import { openRowsData } from './rowsData.ts';

const data = await openRowsData();
const ids = [await data.upload(), await data.upload()];
await data.sequence();
await data.ailog(['data', 'sync']);
afterEach(() => void vi.useRealTimers());

const sync = () => data.ailog(['data', 'sync']);

test.each([
  ['ahead', 3 * HOUR_MS],
  ['back', -3 * HOUR_MS],
  ['back by minutes', -7 * MINUTE_MS],
])('entries that the service receives after its clock was set %s get their rows', async (_name, step) => {
  ids.push(await data.uploadAt(data.owner, Date.now() + step));
  expect((await sync()).stderr).toMatch(/^1 new entry in /m);
  // The clock is right again.
  ids.push(await data.upload());
  await data.sequence();
  expect((await sync()).stderr).toMatch(/^1 new entry in /m);
  expect((await sync()).stderr).toMatch(/^No new entries in /m);
  expect(await data.ids()).toEqual(ids.toSorted());
  // The sequencer looks at their time again, unless somebody changed them since.
  const status = async () => {
    const { exitCode, stdout } = await data.ailog(['data', 'sync', '--check', '--json']);
    const { tlog, contradicted } = JSON.parse(stdout);
    return { exitCode, wrong: tlog.differs + tlog.missing, contradicted, all: tlog.logged + tlog.pending };
  };
  expect(await status()).toEqual({ exitCode: 0, wrong: 0, contradicted: [], all: ids.length });
  if (step > -HOUR_MS) return;
  const key = { uid: data.owner.uid, entryId: ids.at(-2) as string };
  const { arrival: own } = await data.stored(key.entryId);
  for (const arrival of [undefined, Buffer.alloc(38)]) {
    await data.tamper(key, { arrival });
    expect(await status()).toEqual({ exitCode: 1, wrong: 1, contradicted: [key], all: ids.length - 1 });
  }
  await data.tamper(key, { arrival: own });
  await data.tamper(key, { locale: 'fr-FR' });
  expect(await status()).toMatchObject({ exitCode: 1, contradicted: [key] });
  await data.tamper(key, { locale: 'en-US' });
  // A row that was made of a changed entry stays the row of a changed entry.
  const other = { ...key, entryId: await data.uploadAt(data.owner, Date.now() - HOUR_MS) };
  ids.push(other.entryId);
  await data.tamper(other, { locale: 'fr-FR' });
  await data.ailog(['data', 'sync', '--whole']);
  await data.tamper(other, { locale: 'en-US' });
  expect(await status()).toMatchObject({ exitCode: 1, contradicted: [other] });
  await data.ailog(['data', 'sync', '--rebuild']);
});

test.each([
  ['ahead', 30 * HOUR_MS],
  ['back', -30 * HOUR_MS],
])(
  'a clock of this machine that is %s changes neither the rows nor until when they are complete',
  async (_name, step) => {
    ids.push(await data.upload());
    await data.sequence();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + step });
    expect((await sync()).stderr).toMatch(/^1 new entry in /m);
    vi.useRealTimers();
    // The service's clock is known to the second.
    const { cursor } = data.newest();
    expect(Math.abs(cursor - 5 * MINUTE_MS - data.manifest().until)).toBeLessThan(MINUTE_MS);
    expect((await sync()).stderr).toMatch(/^No new entries in /m);
    expect(await data.ids()).toEqual(ids.toSorted());
  },
);

test('of a table that was restored under its name, all rows are made again, and lost entries are counted', async () => {
  const { db, names } = data;
  const entries = await data.entriesOf(data.owner.uid);
  const describe = async () => (await db.send(new DescribeTableCommand({ TableName: names.aiLogs }))).Table;
  const before = await describe();
  // The engine counts the creation in seconds.
  while (Math.floor(Date.now() / 1000) <= Math.floor((before?.CreationDateTime?.getTime() ?? 0) / 1000))
    await pause(50);
  await db.send(new DeleteTableCommand({ TableName: names.aiLogs }));
  await createTables(db, names);
  const lost = entries.find(({ entryId }) => entryId === ids[0]);
  const rest = entries.filter((entry) => entry !== lost);
  for (const Item of rest) await db.send(new PutCommand({ TableName: names.aiLogs, Item }));
  const kept = rest.map(({ entryId }) => entryId).toSorted();

  const { stderr } = await sync();
  expect(stderr).toMatch(/^The rows are made again: the table is another one\.$/m);
  const lines = `^${rest.length} new entries .* Entries of the transparency log that the table did not have: 1\\.$`;
  expect(stderr).toMatch(new RegExp(lines, 'm'));
  expect(await data.ids()).toEqual(kept);
  await db.send(new PutCommand({ TableName: names.aiLogs, Item: lost as never }));
  expect((await sync()).stderr).toMatch(/^1 new entry/m);
  expect(await data.ids()).toEqual(ids.toSorted());
});
