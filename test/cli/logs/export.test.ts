import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalData, openLocalData } from '../../setup/commandLine.ts';
import { start } from '../../setup/execute.ts';
import type { Team } from '../../setup/fixture.ts';
import { aiLog, jsonOf } from '../../setup/upload.ts';
import { uploadAt } from './entries.ts';

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));
const T0 = Date.parse('2025-11-14T09:00:00Z');

let local: LocalData;
let teams: Team[];
/** The uploaded entries: a part of each, its body as digest. */
const uploaded: { uid: string; entryId: string; orderId: string; body: string }[] = [];
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

beforeAll(async () => {
  local = await openLocalData();
  teams = [await local.fixture.team(), await local.fixture.team(), await local.fixture.team()];
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
});
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
    expect(ran).toEqual({ exitCode: 0, stdout: '', stderr: `Exported: 30 to ${path}.\n` });
    const rows = parse<{ entryId: string; body: string; bodySha256: string }>(readFileSync(path), { columns: true });
    expect(read(rows)).toMatchObject(wanted());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.part.json`)).toBe(false);
  });

  test('CSV: text of a team is never a formula, and its line breaks are quoted', async () => {
    const team = await local.fixture.team();
    await uploadAt(local.fixture, team, T0, { stage: '=HYPERLINK("x")', model: '@m,"q"', explanation: '-1\n+2' });
    const { stdout } = await exporting('--format', 'csv', '--uid', team.uid);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { stage: `'=HYPERLINK("x")`, model: `'@m,"q"`, explanation: `'-1\n+2` },
    ]);
  });

  test.each([
    ['of one team', () => ['--uid', teams[1]?.uid ?? ''], 10],
    ['of an order', () => ['--order', '590480926522704175', '--until', '2025-11-14T10:00:00Z'], 3],
    ['of a time', () => ['--since', '2025-11-14T09:00:08Z', '--until', '2025-11-14T10:00:00Z'], 6],
    ['of nothing', () => ['--uid', '404'], 0],
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
    expect(await exporting('-o', path)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `The file ${path} already exists.\nUse another name, or delete it first.\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});

describe('an interrupted export', () => {
  /** Runs the export until it has completed one more page, then stops it as Ctrl-C does. */
  const onePage = async (path: string, ...args: string[]) => {
    const stop = new AbortController();
    const note = `${path}.part.json`;
    const read = () => (existsSync(note) ? readFileSync(note, 'utf8') : '');
    const before = read();
    const watch = setInterval(() => read() !== before && stop.abort(), 1);
    const ran = await local.ailog(['logs', 'export', '-o', path, ...args], { signal: stop.signal });
    clearInterval(watch);
    return ran;
  };

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
      appendFileSync(`${path}.part`, '{"uid":"half a li');
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
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/\.part belongs to another export: jsonl of AiLogUpload-local-AiLogs/),
    });
  });

  test('continues after a kill at any moment', async () => {
    const path = newPath();
    const args = [process.execPath, MAIN, 'logs', 'export', '-o', path, '--until', '2025-11-14T09:30:00Z'];
    const running = start(args, { cwd: local.folder, env: { PATH: process.env.PATH } });
    while (!existsSync(`${path}.part.json`) && !existsSync(path))
      await new Promise((resolve) => setTimeout(resolve, 1));
    running.kill('SIGKILL');
    await running.ended;
    if (!existsSync(path)) expect((await exporting('-o', path, '--until', '2025-11-14T09:30:00Z')).exitCode).toBe(0);
    const ids = readJsonl(readFileSync(path, 'utf8')).map(({ entryId }) => entryId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(uploaded.map(({ entryId }) => entryId)));
  });
});
