import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOf, type Kind, type Manifest, type StoredFile } from '../../../../cli/review/rows/rowStore.ts';
import type { FeatureRow } from '../../../../functions/features/featureRow.ts';
import { readRows } from '../../../../functions/features/readRows.ts';
import { aiLog, HOUR_MS, MINUTE_MS } from '../../../setup/world.ts';
import { flipBit, LONG_TEXT, openRowsData } from './rowsData.ts';

const data = await openRowsData();
const first = [
  await data.upload({ explanation: LONG_TEXT }),
  await data.upload({ orderId: '590480926522704171' }),
  await data.upload(),
];
await data.sequence();

const sync = (...options: string[]) => data.ailog(['data', 'sync', ...options]);
const status = async () => {
  const { exitCode, stdout } = await data.ailog(['data', 'sync', '--check', '--json']);
  return { exitCode, ...JSON.parse(stdout) };
};

describe('a sync', () => {
  test('makes a row of every entry, then of each that is new', async () => {
    expect(await sync()).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^3 new entries in \d+ s\.\n$/) });
    expect(await data.ids()).toEqual([...first].sort());
    expect(await sync()).toMatchObject({ stderr: expect.stringMatching(/^No new entries in \d+ s\.\n$/) });
    first.push(await data.upload());
    await data.sequence();
    expect(await sync()).toMatchObject({ stderr: expect.stringMatching(/^1 new entry in \d+ s\.\n$/) });
    expect(await data.ids()).toEqual([...first].sort());
  });

  test('proves with every leaf that the rows are complete', async () => {
    expect(await status()).toMatchObject({
      exitCode: 0,
      rows: 4,
      complete: true,
      rootMatches: true,
      newerLeaves: 0,
      contradicted: [],
      problems: [],
      tlog: { logged: 4, pending: 0, differs: 0, missing: 0, withoutRow: 0 },
    });
    expect(data.manifest().treeSize).toBe(4);
  });

  test('keeps the files for their owner only', () => {
    const modeOf = (name: string) => statSync(join(data.rowsFolder, name)).mode & 0o777;
    const { files } = data.manifest();
    expect(new Set(files.map(({ name }) => name.split('/')[0]))).toEqual(
      new Set(['entries', 'texts', 'leaves', 'near']),
    );
    expect(['', 'entries'].map(modeOf)).toEqual([0o700, 0o700]);
    expect(new Set(['manifest.json', ...files.map(({ name }) => name)].map(modeOf))).toEqual(new Set([0o600]));
  });

  test('finds an entry by its leaf that the index does not show', async () => {
    const entryId = await data.upload();
    await data.sequence();
    await data.tamper({ uid: data.owner.uid, entryId }, { slot: undefined, arrival: undefined });
    first.push(entryId);
    // DynamoDB counts every six hours.
    data.changeManifest({ itemCount: first.length });
    expect((await sync()).stderr).toMatch(/^1 new entry /);
    expect(await data.ids()).toEqual([...first].sort());
  });

  test('makes no second row of an entry that was received just before the time from which on it reads', async () => {
    const { receivedAt } = await data.stored(first[0] as string);
    data.changeManifest({ until: receivedAt + 10 * MINUTE_MS + 1 });
    expect((await sync()).stderr).toMatch(/^No new entries /);
  });

  test('finds an entry by the number of entries that neither the index nor the log shows', async () => {
    const [entry] = await data.entriesOf(data.owner.uid);
    const key = { uid: data.owner.uid, entryId: `${Date.now() - HOUR_MS}-${'1'.repeat(32)}` };
    const ago = { receivedAt: Date.now() - HOUR_MS, slot: undefined, arrival: undefined };
    await data.tamper(key, { ...entry, ...key, ...ago });
    expect((await sync()).stderr).toMatch(/^1 new entry /);
    await data.remove(key);
    await data.ailog(['data', 'sync', '--rebuild']);
  });

  test('counts the leaves of entries that the table does not have', async () => {
    const entryId = await data.upload();
    await data.sequence();
    await data.remove({ uid: data.owner.uid, entryId });
    expect((await sync()).stderr).toContain('Entries of the transparency log that the table did not have: 1.');
    expect(await status()).toMatchObject({ exitCode: 1, tlog: { missing: 0, withoutRow: 1 } });
    expect((await sync()).stderr).toMatch(/^No new entries.* did not have: 1\.$/m);
  });
});

describe('an entry', () => {
  test('with a damaged body is named, and stops nothing', async () => {
    const [entryId, other] = [await data.upload(), await data.upload()];
    await data.sequence();
    const key = { uid: data.owner.uid, entryId };
    const { body } = await data.stored(entryId);
    await data.tamper(key, { body: new Uint8Array(3) });
    const stderr = expect.stringMatching(/^1 new entry .* 1 problem: ailog data sync --check/);
    expect(await sync()).toMatchObject({ exitCode: 1, stderr });
    const leaf = expect.stringMatching(/^[0-9a-f]{64}$/);
    const problem = { ...key, problem: 'its body cannot be decompressed', leaf };
    // Its leaf is explained by the problem.
    expect(await status()).toMatchObject({ exitCode: 1, problems: [problem], tlog: { withoutRow: 1 } });
    expect((await sync()).stderr).toMatch(/^No new entries .* 1 problem:/);

    await data.tamper(key, { body });
    expect((await sync('--whole')).stderr).toMatch(/^1 new entry/);
    expect(data.manifest().problems).toEqual([]);
    first.push(entryId, other);
    expect(await data.ids()).toEqual([...first].sort());
  });

  // The entry hash covers the first one only.
  test.each([
    { change: { locale: 'fr-FR' }, undo: { locale: 'en-US' } },
    { change: { stage: 'Edited' }, undo: { stage: aiLog.stage } },
    { change: { orderId: 7 }, undo: { orderId: aiLog.orderId } },
  ])('that was changed after its row was made keeps the row of the log, and is named: $change', async (edit) => {
    const key = { uid: data.owner.uid, entryId: first[0] as string };
    await data.tamper(key, edit.change);
    expect((await sync('--whole')).exitCode).toBe(1);
    expect(await status()).toMatchObject({
      exitCode: 1,
      problems: [{ ...key, problem: 'it was changed in the table since its row was made' }],
      tlog: { differs: 0 },
    });
    expect((await data.ailog(['report', '--no-sync'])).stderr).toContain(
      'Entries that were changed in the table, and are reviewed as they were before: 1. ailog logs verify names them.\n',
    );
    const { stage = aiLog.stage } = edit.change;
    const listed = await data.ailog(['logs', 'list', '--stage', stage, '--limit', '99', '--json', '--no-sync']);
    expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ ...key, stage }));
    await data.tamper(key, edit.undo);
    expect((await sync('--whole')).exitCode).toBe(0);
    expect(data.manifest().problems).toEqual([]);
  });

  test.each(['sync', 'sync --whole'])(
    'whose order was changed before its row was made is reviewed as it was, and is named: %s',
    async (command) => {
      const key = { uid: data.owner.uid, entryId: await data.upload() };
      await data.sequence();
      await data.tamper(key, { orderId: 7 });
      expect((await data.ailog(['data', ...command.split(' ')])).exitCode).toBe(1);
      const problem = { ...key, problem: 'it does not have what its body says: orderId', hasRow: true };
      expect(await status()).toMatchObject({ exitCode: 1, problems: [problem], tlog: { differs: 0 } });
      const rows = data.file('rows.parquet', '');
      rmSync(rows);
      await data.ailog(['logs', 'export', '--format', 'parquet', '--no-sync', '-o', rows]);
      const made = await readRows<FeatureRow>(readFileSync(rows), { columns: ['entry_id', 'order_id'] });
      expect(made.find(({ entry_id }) => entry_id === key.entryId)?.order_id).toBe(aiLog.orderId);
      await data.tamper(key, { orderId: aiLog.orderId });
      expect((await sync('--whole')).exitCode).toBe(0);
      first.push(key.entryId);
    },
  );

  test('of one of several teams gets no second row when the whole table is read', async () => {
    const other = await data.oldTeam();
    const ids = [await data.upload({}, other), await data.upload({}, other)];
    await data.sequence();
    expect((await sync()).stderr).toMatch(/^2 new entries /);
    expect((await sync('--whole')).stderr).toMatch(/^No new entries /);
    for (const entryId of ids) await data.remove({ uid: other.uid, entryId });
    await data.ailog(['data', 'sync', '--rebuild']);
  });

  test('that was deleted or expired keeps its row, which is counted, until the rows are made again', async () => {
    const entryId = await data.upload();
    await data.sequence();
    await sync();
    await data.remove({ uid: data.owner.uid, entryId });
    expect((await sync('--whole')).stderr).toMatch(/^Rows of entries that the table does not have any more: 1\.\n/);
    expect(await data.ids()).toContain(entryId);
    const { withoutRow } = (await status()).tlog;
    await data.ailog(['data', 'sync', '--rebuild']);
    expect(await data.ids()).not.toContain(entryId);
    expect(await status()).toMatchObject({ exitCode: 1, tlog: { withoutRow: withoutRow + 1 } });
  });

  test('that somebody wrote past the service is missing in the log, and is named', async () => {
    const key = { uid: data.owner.uid, entryId: `${first[0]?.slice(0, 14)}${'0'.repeat(32)}` };
    const [entry] = await data.entriesOf(key.uid);
    const receivedAt = Date.now() - HOUR_MS;
    await data.tamper(key, { ...entry, ...key, receivedAt, slot: undefined, arrival: undefined });
    await sync('--whole');
    expect(await status()).toMatchObject({ exitCode: 1, contradicted: [key], tlog: { differs: 0, missing: 1 } });
  });
});

const lastFile = (kind: Kind) => filesOf(data.manifest(), kind).findLast(({ rows }) => rows > 0) as StoredFile;

describe('the rows are made again', () => {
  test.each<[string, (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['was cut', (path) => writeFileSync(path, 'PAR1')],
  ])('because a file %s', async (_name, damage) => {
    const { name } = lastFile('entries');
    damage(join(data.rowsFolder, name));
    const stderr = expect.stringMatching(
      new RegExp(`^The rows are made again: these files are damaged or gone: ${name}\\.\n\\d+ new entries`),
    );
    expect(await sync()).toMatchObject({ exitCode: 0, stderr });
  });

  test('because the manifest is damaged', async () => {
    writeFileSync(join(data.rowsFolder, 'manifest.json'), '{"files":');
    const stderr = expect.stringContaining('damaged');
    expect(await data.ailog(['data', 'sync', '--check'])).toMatchObject({ exitCode: 1, stderr });
    expect((await sync()).stderr).toMatch(/^The rows are made again: the manifest is damaged\.\n/);
  });
});

test('a log that does not continue the one before is named, and read again', async () => {
  const { treeSize } = data.manifest();
  data.changeManifest({ root: Buffer.alloc(32).toString('base64') });
  const stderr = expect.stringMatching(`the one of the last sync, which had the size ${treeSize} and the root AAAA`);
  expect(await sync()).toMatchObject({ exitCode: 1, stderr });
  expect((await status()).rootMatches).toBe(true);
});

test('leaves that are gone do not have the root', async () => {
  const { files } = data.manifest();
  data.changeManifest({ files: files.filter(({ name, rows }) => !name.startsWith('leaves/') || rows === 0) });
  expect(await status()).toMatchObject({ exitCode: 1, rootMatches: false });
  data.changeManifest({ files });
  expect((await status()).rootMatches).toBe(true);
});

test('a log that cannot be read stops no sync, and is negative', async () => {
  const { treeSize } = data.manifest();
  await data.upload();
  await data.sequence();
  const bundles = join(data.logFolder, 'tile/entries');
  renameSync(bundles, `${bundles}.away`);
  const ran = await sync();
  renameSync(`${bundles}.away`, bundles);
  const stderr = expect.stringMatching(/^The transparency log was not read: .*\n1 new entry /);
  expect(ran).toMatchObject({ exitCode: 1, stderr });
  expect(data.manifest().treeSize).toBe(treeSize);
  expect((await sync()).exitCode).toBe(0);
  expect(data.manifest().treeSize).toBeGreaterThan(treeSize);
});

test('what the manifest does not name is deleted, and what a killed process left', async () => {
  const stray = join(data.rowsFolder, 'entries/received_day=2025-11-14');
  mkdirSync(stray, { recursive: true });
  for (const name of ['a.parquet', 'b.parquet.new']) writeFileSync(join(stray, name), '');
  const temporary = join(data.rowsFolder, 'temporary');
  for (const pid of ['999999999', String(process.pid)]) mkdirSync(join(temporary, pid), { recursive: true });
  await sync();
  expect([readdirSync(stray), readdirSync(temporary)]).toEqual([[], [String(process.pid)]]);
});

test.each(['near', 'leaves'] as const)(
  'a damaged file of %s is named where it is read, and made again alone',
  async (kind) => {
    const whole = data.manifest();
    const { name } = lastFile(kind);
    flipBit(join(data.rowsFolder, name), 99);
    const stderr = expect.stringMatching(
      `^Files of the rows are damaged or gone: ${name}\\.\nailog data sync --whole makes `,
    );
    for (const command of [
      ['data', 'sync', '--check'],
      ['report', '--no-sync', '--within', '61s'],
    ])
      expect(await data.ailog(command)).toMatchObject({ exitCode: 1, stderr });
    expect((await data.ailog(['logs', 'list', 'eth', '--no-sync'])).exitCode).toBe(0);
    expect((await sync()).stderr).toMatch(/^No new entries/);
    expect((await sync('--whole')).stderr).toMatch(
      `Made again, because these files are damaged or gone: ${name}.\nNo new entries`,
    );
    expect(filesOf(data.manifest(), 'entries')).toEqual(filesOf(whole, 'entries'));
    const digestsOf = (manifest: Manifest) =>
      filesOf(manifest, kind)
        .map(({ rows }) => rows)
        .sort();
    expect(digestsOf(data.manifest()).reduce((sum, rows) => sum + rows)).toBe(
      digestsOf(whole).reduce((sum, rows) => sum + rows),
    );
    expect((await status()).rootMatches).toBe(true);
  },
);

test('rows of another version are not reviewed, and those of an interrupted first sync are not complete', async () => {
  const { rowVersion, source } = data.manifest();
  data.changeManifest({ source: 'the table of another stage' });
  for (const command of [['report'], ['logs', 'list', 'eth']])
    expect(await data.ailog([...command, '--no-sync'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^The rows of the local data on this machine are those of another table\./),
    });
  data.changeManifest({ source, rowVersion: rowVersion - 1 });
  expect(await data.ailog(['report', '--no-sync'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^The rows of the local data on this machine are those of another version of ailog\./,
    ),
  });
  data.changeManifest({ rowVersion, after: { uid: '1', entryId: '2' } });
  expect(await status()).toMatchObject({ exitCode: 1, complete: false });
  const noted = async (...args: string[]) => (await data.ailog(['report', ...args])).stderr;
  const interrupted = 'The rows are not complete: the first sync was interrupted.\n';
  expect(await noted('--no-sync')).toContain(interrupted);
  // A sync has the lock.
  writeFileSync(`${data.rowsFolder}.lock`, String(process.pid));
  for (const args of [['--no-sync'], []]) {
    const said = await noted(...args);
    expect(said).toContain('The rows are not complete: the first sync is still running.\n');
    expect(said).not.toContain(interrupted);
  }
  expect((await data.ailog(['data', 'sync', '--check'])).stdout).toMatch(
    /^complete +no: the first sync is still running$/m,
  );
  rmSync(`${data.rowsFolder}.lock`);
  expect((await data.ailog(['data', 'sync', '--check'])).stdout).toMatch(
    /^complete +no: the first sync was interrupted, /m,
  );
  data.changeManifest({ after: undefined });
});

test('of two syncs, one works', async () => {
  writeFileSync(`${data.rowsFolder}.lock`, String(process.pid));
  const busy = { exitCode: 2, stderr: expect.stringMatching(`^Process ${process.pid} is already reading new entries`) };
  expect(await sync()).toMatchObject(busy);
  // The lock of a process that was killed does not stop the next one.
  writeFileSync(`${data.rowsFolder}.lock`, '999999999');
  expect((await sync()).stderr).toMatch(/^No new entries/);
});

test('without rows, a check says what makes them', async () => {
  rmSync(data.rowsFolder, { recursive: true });
  expect(await data.ailog(['data', 'sync', '--check'])).toMatchObject({
    exitCode: 5,
    stderr: expect.stringMatching(/^There are no rows in .*\nailog data sync makes them\.\n$/),
  });
});

test.each([
  ['--check', '--rebuild'],
  ['--whole', '--check'],
])('%s does not go together with %s', async (...options) => {
  expect(await sync(...options)).toMatchObject({
    exitCode: 2,
    stderr: 'Give one of --whole, --check and --rebuild.\n',
  });
});
