import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, test } from 'vitest';
import { fromSpreadsheet } from '../../../../cli/shell/text/spreadsheet.ts';
import { openLocalData } from '../../../setup/commandLine.ts';
import { type Fault, startFaultProxy } from '../../../setup/faults.ts';
import { notes, says } from '../../../setup/outcome.ts';
import { HOUR_MS } from '../../../setup/time.ts';
import { aiLog, jsonOf, logText } from '../../../setup/upload.ts';
import { tamper, uploadAt } from './entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

/** The uploaded entries: a part of each, its body as digest. */
const uploaded: { uid: string; entryId: string; orderId: string; body: string }[] = [];
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const local = await openLocalData();
const teams = [await local.fixture.team(), await local.fixture.team(), await local.fixture.team()];
// Random data cannot be compressed, so that a few entries fill a page of DynamoDB (1 MB).
for (const [index, team] of teams.entries()) {
  for (let i = 0; i < 10; i += 1) {
    const prompt = randomBytes(index === 2 ? 10 : 150_000).toString('base64');
    const orderId = 590480926522704171n + BigInt(i);
    const text = ` ${jsonOf({ ...aiLog, orderId, input: { prompt } })}\n`;
    const entryId = await uploadAt(local.fixture, team, T0 + i * 1000 + index, text);
    uploaded.push({ uid: team.uid, entryId, orderId: String(orderId), body: digest(text) });
  }
}
afterAll(() => local.engine.stop());

let files = 0;
const newPath = () => join(local.folder, `export-${++files}`);
const exporting = (...args: string[]) => local.ailog(['logs', 'export', ...args]);

/** Sorts entries by id. */
const inOrder = <T extends { entryId: string }>(entries: readonly T[]) =>
  entries.toSorted((a, b) => (a.entryId < b.entryId ? -1 : 1));
const read = (exported: { entryId: string; body: string; bodySha256: string }[]) =>
  inOrder(exported).map((entry) => ({
    ...entry,
    body: digest(entry.body),
    sameDigest: digest(entry.body) === entry.bodySha256,
  }));
const wanted = () => inOrder(uploaded).map((entry) => ({ ...entry, sameDigest: true }));
const readJsonl = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('ailog logs export', () => {
  test('JSON lines: every entry once, with its signed body', async () => {
    const { stdout, stderr, exitCode } = await exporting();
    expect([exitCode, stderr]).toEqual([0, 'Exported: 30.\n']);
    expect(read(readJsonl(stdout))).toMatchObject(wanted());
  });

  test('CSV: the same entries', async () => {
    const path = newPath();
    const ran = await exporting('--format', 'csv', '-o', path);
    expect(ran).toEqual(says(0, `Exported: 30 to ${path}.\n`));
    const rows = parse<Record<'entryId' | 'body' | 'bodySha256' | 'orderId', string>>(readFileSync(path), {
      columns: true,
      cast: fromSpreadsheet,
    });
    expect(read(rows)).toMatchObject(wanted());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.part.json`)).toBe(false);
  });

  test('CSV: text of a team is never a formula and hides no character, and no digit of a number can be lost', async () => {
    const team = await local.fixture.team();
    const log = { orderId: 590480926522704171n, stage: 'a;=HYPERLINK("x")', model: '\u202eM\u009b' };
    await uploadAt(local.fixture, team, T0, logText({ ...log, explanation: '-1\n+2' }));
    const { stdout } = await exporting('--format', 'csv', '--uid', team.uid);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { orderId: "'590480926522704171", timestamp: `'${T0}`, explanation: `'-1\n'+2` },
    ]);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { stage: `a;'=HYPERLINK("x")`, model: '\\u{202e}M\\u{009b}' },
    ]);
    expect(stdout).not.toMatch(/[\u202e\u009b]/);
  });

  test.each([
    ['of one team', () => ['--uid', teams[1]?.uid ?? ''], 10],
    ['of an order', () => ['--order', '590480926522704175', '--until', '2025-11-14T10:00:00Z'], 3],
    ['of a time', () => ['--since', '2025-11-14T09:00:08Z', '--until', '2025-11-14T10:00:00Z'], 6],
    [
      'of two teams',
      () => ['--uid', teams[2]?.uid ?? '', '--uid', teams[0]?.uid ?? '', '--until', '2025-11-14T10:00:00Z'],
      20,
    ],
    ['of nothing', () => ['--stage', 'none'], 0],
  ])('%s', async (_name, args, count) => {
    const ran = await exporting(...args(), '-o', newPath(), '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ entries: count, damaged: 0 });
  });

  test('shows progress only on a terminal', async () => {
    const until = ['--until', '2025-11-14T09:00:05Z', '--uid', teams[2]?.uid ?? ''];
    const watched = await local.ailog(['logs', 'export', '-o', newPath(), ...until], { types: [] });
    expect(watched.stderr).toContain('5 entries read');
    expect((await exporting('-o', newPath(), ...until)).stderr).toMatch(/^Exported: 5 to \S+\n$/);
  });

  test('rejects an existing file', async () => {
    const path = local.file('there.jsonl', 'precious');
    expect(await exporting('-o', path)).toEqual(
      says(2, `The file ${path} already exists.\nUse another name, or delete it first.\n`),
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('names a folder that is given as a file, and one that is missing', async () => {
    const isFolder = `${local.folder} is a folder, not a file.\nGive the name of a new file.\n`;
    expect(await exporting('-o', local.folder)).toEqual(says(2, isFolder));
    const missing = `There is no folder ${join(local.folder, 'none')}.\n`;
    expect(await exporting('-o', join(local.folder, 'none/x'))).toEqual(says(2, missing));
  });
});

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** Returns what the note of an export says, as text. Empty if there is none. */
const noteOf = (path: string): string =>
  existsSync(`${path}.part.json`) ? readFileSync(`${path}.part.json`, 'utf8') : '';

/** Returns the number of bytes of a part that its note promises. */
const keptOf = (path: string): number => (noteOf(path) === '' ? 0 : JSON.parse(noteOf(path)).bytes);

/** Runs the export until it has written one more page, then stops it as Ctrl-C does. */
const onePage = async (path: string, ...args: string[]) => {
  const stop = new AbortController();
  const [before, kept] = [sizeOf(`${path}.part`), keptOf(path)];
  // The header of CSV is no page.
  const hasGrown = () => sizeOf(`${path}.part`) !== before && sizeOf(`${path}.part`) > kept + 1000;
  const watch = setInterval(() => hasGrown() && stop.abort(), 1);
  const ran = await local.ailog(['logs', 'export', '-o', path, ...args], { signal: stop.signal });
  clearInterval(watch);
  return ran;
};

describe('an interrupted export', () => {
  test.each(['jsonl', 'csv'])('continues page by page to the same %s, byte for byte', async (format) => {
    const [whole, path] = [newPath(), newPath()];
    const until = ['--format', format, '--until', '2025-11-14T09:30:00Z'];
    await exporting('-o', whole, ...until);
    let stops = 0;
    for (;;) {
      const { exitCode, stderr } = await onePage(path, ...until);
      if (exitCode === 0) break;
      expect([exitCode, stderr]).toEqual([130, expect.stringMatching(/Interrupted\.\n$/)]);
      expect(existsSync(path)).toBe(false);
      stops += 1;
      // Simulates a process that died while it wrote the next page.
      appendFileSync(`${path}.part`, '{"uid":"half a li'.repeat(stops % 2 ? 500_000 : 1));
    }
    expect(stops).toBeGreaterThan(0);
    expect(readFileSync(path).equals(readFileSync(whole))).toBe(true);
  });

  test('excludes entries uploaded after it started, and contains all earlier ones', async () => {
    const path = newPath();
    await onePage(path);
    const late = await local.fixture.team();
    await uploadAt(local.fixture, late, Date.now() + 1000);
    const { stderr } = await exporting('-o', path);
    expect(stderr).toMatch(/^Continuing after the \d+ entries in /);
    const exported = readJsonl(readFileSync(path, 'utf8'));
    expect(exported.some(({ uid }) => uid === late.uid)).toBe(false);
    const ids = exported.map(({ entryId }) => entryId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(uploaded.map(({ entryId }) => entryId)));
  });

  test('continues only with the same options', async () => {
    const path = newPath();
    await onePage(path);
    const ran = await exporting('-o', path, '--format', 'csv');
    expect(ran).toEqual(
      says(2, expect.stringMatching(/\.part belongs to another export: jsonl of AiLogUpload-local-AiLogs/)),
    );
  });

  test.each<[string, Fault, number, RegExp]>([
    ['on Ctrl-C, though DynamoDB does not answer any more', 'hang', 130, /^Interrupted\.\n$/],
    ['on an error of DynamoDB', { status: 400, body: '{"__type":"ValidationException"}' }, 3, /ValidationException/],
  ])('keeps its state %s', async (_name, fault, code, message) => {
    const path = newPath();
    const table = await startFaultProxy(local.engine.endpoint);
    // The first pages come, the last one does not.
    table.plan(...Array.from({ length: 8 }, () => 'pass' as const), ...Array.from({ length: 20 }, () => fault));
    const stop = new AbortController();
    const watch = setInterval(() => fault === 'hang' && sizeOf(`${path}.part`) > 0 && stop.abort(), 1);
    try {
      const ran = await local.ailog(['logs', 'export', '-o', path, '--until', '2025-11-14T09:30:00Z'], {
        signal: stop.signal,
        env: { DYNAMODB_ENDPOINT: table.url },
      });
      expect(ran).toMatchObject({ exitCode: code, stderr: expect.stringMatching(message) });
      expect([keptOf(path), keptOf(path) > 0]).toEqual([sizeOf(`${path}.part`), true]);
    } finally {
      clearInterval(watch);
      table.close();
    }
  });

  test('of an order leaves out what was uploaded after it started', async () => {
    const team = await local.fixture.team();
    const orderId = 777;
    await uploadAt(local.fixture, team, Date.now() - 1000, { orderId });
    await uploadAt(local.fixture, team, Date.now() + 60_000, { orderId });
    const left = 'Exported: 1.\nLeft out, because they arrived after the export began: 1.\n';
    for (const selection of [`--order=${orderId}`, `--uid=${team.uid}`]) {
      const { stdout, stderr, exitCode } = await exporting(selection);
      expect([exitCode, stderr]).toEqual([0, left]);
      expect(readJsonl(stdout)).toHaveLength(1);
    }
  });
});

describe('an entry cannot be hidden from an export', () => {
  test.each([
    ['without a time of receipt', undefined, 1, /Exported without a time of receipt, because the table has none: 1\./],
    ['with a time of receipt that is not a time', 'never', 1, /Exported without a time of receipt/],
    ['with a time of receipt in the future', Date.now() + 1e9, 0, /^Exported: 1\.\n$/],
  ])('%s', async (_name, receivedAt, code, note) => {
    const team = await local.fixture.team();
    const entryId = await uploadAt(local.fixture, team, T0);
    await tamper(local.fixture, { uid: team.uid, entryId }, { receivedAt });
    const { stdout, stderr, exitCode } = await exporting('--uid', team.uid);
    expect(readJsonl(stdout).map((entry) => entry.entryId)).toEqual([entryId]);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(note)]);
    expect((await exporting('--uid', team.uid, '--format', 'csv', '-o', newPath())).exitCode).toBe(code);
  });
});

describe('a part that was tampered with', () => {
  const until = teams.flatMap(({ uid }) => ['--uid', uid]);
  const partOf = async () => {
    const path = newPath();
    await onePage(path, ...until);
    return { path, part: `${path}.part`, note: `${path}.part.json` };
  };

  test.each<[string, (files: { part: string; note: string }) => void, RegExp]>([
    [
      'is shorter than its note says',
      ({ part }) => truncateSync(part, 1000),
      /has 1000 bytes instead of \d+ since the/,
    ],
    [
      'has other content',
      ({ part }) => writeFileSync(part, readFileSync(part).fill(0, 10, 20)),
      /was changed since the/,
    ],
    ['has a damaged note', ({ note }) => writeFileSync(note, '{"question":'), /\.part\.json is damaged/],
  ])('%s: nothing is written', async (_name, tamper, stderr) => {
    const { path, part, note } = await partOf();
    tamper({ part, note });
    const bytes = readFileSync(part);
    expect(await exporting('-o', path, ...until)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(stderr) });
    expect([existsSync(path), existsSync(note), readFileSync(part).equals(bytes)]).toEqual([false, true, true]);
  });

  test('is gone: the export starts again', async () => {
    const { path, part } = await partOf();
    rmSync(part);
    expect(await exporting('-o', path, ...until)).toMatchObject({ exitCode: 0, stderr: `Exported: 30 to ${path}.\n` });
    expect(read(readJsonl(readFileSync(path, 'utf8')))).toMatchObject(wanted());
  });
});

describe('ailog logs export --daily', () => {
  const daily = (folder: string, ...args: string[]) => exporting('--daily', folder, '--json', ...args);
  /** The time so many hours after the start of the day three days ago. */
  const days = (hours: number) => Date.now() - (Date.now() % (24 * HOUR_MS)) + (hours - 72) * HOUR_MS;
  const nameOf = (time: number) => `logs-${new Date(time).toISOString().slice(0, 10)}.jsonl`;

  test('writes each day that has ended once, and later only the days that are new', async () => {
    const own = await openLocalData();
    const team = await own.fixture.team();
    // Three days ago, at its first and last millisecond, then one day later; today has not ended.
    const times = [days(0), days(24) - 1, days(30), days(72)];
    const ids: string[] = [];
    for (const time of times) ids.push(await uploadAt(own.fixture, team, time));
    const run = async (...args: string[]) =>
      JSON.parse((await own.ailog(['logs', 'export', '--daily', 'backup', '--json', ...args])).stdout);
    const idsIn = (name: string) => {
      const text = readFileSync(join(own.folder, 'backup', name), 'utf8');
      return text === '' ? [] : readJsonl(text).map(({ entryId }) => entryId);
    };
    const names = [0, 24, 48].map((hours) => nameOf(days(hours)));

    const first = await run();
    const files = names.map((name) => join(own.folder, 'backup', name));
    expect(first).toEqual({ entries: 3, damaged: 0, untimed: 0, late: 0, files });
    expect(names.map(idsIn)).toEqual([[ids[0], ids[1]], [ids[2]], []]);
    expect(readdirSync(join(own.folder, 'backup'))).toEqual(names);

    const again = await own.ailog(['logs', 'export', '--daily', 'backup']);
    expect(again).toMatchObject(says(0, `${join(own.folder, 'backup')} has every day that has ended.\n`));
    // A day that is gone is exported again; one that was never there is older than the first file.
    await uploadAt(own.fixture, team, days(0) - HOUR_MS);
    rmSync(join(own.folder, 'backup', names[1] as string));
    expect((await run()).files).toEqual([join(own.folder, 'backup', names[1] as string)]);
    await own.engine.stop();
  });

  test('continues the day in which it was interrupted', async () => {
    const own = await openLocalData();
    const team = await own.fixture.team();
    for (let i = 0; i < 10; i += 1) {
      await uploadAt(own.fixture, team, days(48) + i, { input: { prompt: randomBytes(150_000).toString('base64') } });
    }
    const path = join(own.folder, 'backup', nameOf(days(48)));
    const stop = new AbortController();
    const watch = setInterval(() => sizeOf(`${path}.part`) > 0 && stop.abort(), 1);
    const interrupted = await own.ailog(['logs', 'export', '--daily', 'backup'], { signal: stop.signal });
    clearInterval(watch);
    expect([interrupted.exitCode, existsSync(path)]).toEqual([130, false]);
    // In this process, the interrupted run still ends the read that it had begun.
    const again = () => own.ailog(['logs', 'export', '--daily', 'backup']);
    await expect
      .poll(again)
      .toMatchObject(notes(0, /^Continuing after the \d+ entries in .*\.part\.\nExported: 10 to /));
    expect(new Set(readJsonl(readFileSync(path, 'utf8')).map(({ entryId }) => entryId)).size).toBe(10);
    await own.engine.stop();
  });

  test.each([
    [['-o', 'a.jsonl'], 'whole days'],
    [['--since', '2025-11-14'], 'whole days'],
    [['--order', '7'], 'whole days'],
    [['--format', 'parquet'], 'JSON lines or CSV'],
  ])('does not go together with %j', async (args, message) => {
    expect(await daily(newPath(), ...args)).toMatchObject(notes(2, message));
  });

  test('a file in place of the folder is named', async () => {
    const path = newPath();
    writeFileSync(path, 'mine');
    expect(await daily(path)).toEqual(says(2, `${path} is a file, not a folder.\n`));
  });

  test('of an empty table writes nothing', async () => {
    const own = await openLocalData();
    const { exitCode, stdout } = await own.ailog(['logs', 'export', '--daily', 'backup', '--json']);
    expect({ exitCode, files: JSON.parse(stdout).files }).toEqual({ exitCode: 0, files: [] });
    await own.engine.stop();
  });
});
