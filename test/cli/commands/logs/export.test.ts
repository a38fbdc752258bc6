import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { fromSpreadsheet } from '../../../../cli/shell/text/spreadsheet.ts';
import { aiLog, HOUR_MS, jsonOf, localWorld, logText, NOW, notes, says, stopClock } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

/** The uploaded entries: a part of each, its body as digest. */
const uploaded: { uid: string; entryId: string; orderId: string; body: string }[] = [];
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const local = await localWorld();
const teams = [await local.team(), await local.team(), await local.team()];
// Random data cannot be compressed, so that a few entries fill a page of DynamoDB (1 MB).
for (const [index, team] of teams.entries()) {
  for (let i = 0; i < 10; i += 1) {
    const prompt = randomBytes(index === 2 ? 10 : 150_000).toString('base64');
    const orderId = 590480926522704171n + BigInt(i);
    const text = ` ${jsonOf({ ...aiLog, orderId, input: { prompt } })}\n`;
    const entryId = await local.uploadAt(team, T0 + i * 1000 + index, text);
    uploaded.push({ uid: team.uid, entryId, orderId: String(orderId), body: digest(text) });
  }
}

let files = 0;
const newPath = () => join(local.folder, `export-${++files}`);
const exporting = (...args: string[]) => local.ailog(['logs', 'export', ...args]);
const ofAllTeams = teams.flatMap(({ uid }) => ['--uid', uid]);

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
    const { stdout, stderr, exitCode } = await exporting(...ofAllTeams);
    expect([exitCode, stderr]).toEqual([0, 'Exported: 30.\n']);
    expect(read(readJsonl(stdout))).toMatchObject(wanted());
  });

  test('CSV: the same entries', async () => {
    const path = newPath();
    const ran = await exporting(...ofAllTeams, '--format', 'csv', '-o', path);
    expect(ran).toEqual(says(0, `Exported: 30 to ${path}.\n`));
    const rows = parse<Record<'entryId' | 'body' | 'bodySha256' | 'orderId', string>>(readFileSync(path), {
      columns: true,
      cast: fromSpreadsheet,
    });
    expect(read(rows)).toMatchObject(wanted());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(filesOf(path)).toEqual([path]);
  });

  test('CSV: text of a team is never a formula and hides no character, and no digit of a number can be lost', async () => {
    const team = await local.team();
    const log = { orderId: 590480926522704171n, stage: 'a;=HYPERLINK("x")', model: '\u202eM\u009b' };
    await local.uploadAt(team, T0, logText({ ...log, explanation: '-1\n+2' }));
    const { stdout } = await exporting('--format', 'csv', '--uid', team.uid);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { orderId: "'590480926522704171", timestamp: `'${T0}`, explanation: `'-1\n'+2` },
    ]);
    expect(parse(stdout, { columns: true })).toMatchObject([
      { stage: `a;'=HYPERLINK("x")`, model: '\\u{202e}M\\u{009b}' },
    ]);
    expect(stdout).not.toMatch(/[\u202e\u009b]/);
  });

  // biome-ignore format: one case a line
  test.each([
    ['of one team', () => ['--uid', teams[1]?.uid ?? ''], 10],
    ['of an order', () => ['--order', '590480926522704175', '--until', '2025-11-14T10:00:00Z'], 3],
    ['of a time', () => ['--since', '2025-11-14T09:00:08Z', '--until', '2025-11-14T10:00:00Z'], 6],
    ['of two teams', () => ['--uid', teams[2]?.uid ?? '', '--uid', teams[0]?.uid ?? '', '--until', '2025-11-14T10:00:00Z'], 20],
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

  test('names a folder that is given as a file, and one that is missing', async () => {
    const isFolder = `${local.folder} is a folder, not a file.\nGive the name of a new file.\n`;
    expect(await exporting('-o', local.folder)).toEqual(says(2, isFolder));
    const missing = `There is no folder ${join(local.folder, 'none')}.\n`;
    expect(await exporting('-o', join(local.folder, 'none/x'))).toEqual(says(2, missing));
  });
});

/** Returns what is on the disk of a file: itself, and what is beside it until it is whole. */
const filesOf = (path: string): string[] =>
  readdirSync(dirname(path))
    .filter((name) => name === basename(path) || /^\.[0-9a-f]{16}$/.test(name.slice(basename(path).length)))
    .map((name) => join(dirname(path), name));

describe('an export that does not come to its end', () => {
  const ofTeams = teams.flatMap(({ uid }) => ['--uid', uid]);

  test('leaves nothing when it is interrupted, and the next one writes the whole file', async () => {
    const path = newPath();
    const stop = new AbortController();
    const watch = setInterval(() => filesOf(path).some((one) => statSync(one).size > 0) && stop.abort(), 1);
    const ran = await local.ailog(['logs', 'export', '-o', path, ...ofTeams], { signal: stop.signal });
    clearInterval(watch);
    expect([ran.exitCode, ran.stderr]).toEqual([130, expect.stringMatching(/Interrupted\.\n$/)]);
    // In this process, the interrupted run still ends the read that it had begun.
    await expect.poll(() => filesOf(path)).toEqual([]);
    expect(await exporting('-o', path, ...ofTeams)).toMatchObject(notes(0, /^Exported: 30 to /));
  });

  test('leaves nothing after an error of DynamoDB', async () => {
    const path = newPath();
    const table = await local.faulty();
    const fault = { status: 400, body: '{"__type":"ValidationException"}' };
    // The first pages come, the last one does not.
    table.plan(...Array.from({ length: 8 }, () => 'pass' as const), ...Array.from({ length: 20 }, () => fault));
    const ran = await local.ailog(['logs', 'export', '-o', path], { env: { DYNAMODB_ENDPOINT: table.url } });
    expect(ran).toMatchObject(notes(3, /ValidationException/));
    expect(filesOf(path)).toEqual([]);
  });
});

describe('what arrives while an export runs', () => {
  test('of an order leaves out what was uploaded after it started', async () => {
    const team = await local.team();
    const orderId = 777;
    stopClock();
    await local.uploadAt(team, NOW, { orderId });
    await local.uploadAt(team, NOW + 1, { orderId });
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
    const team = await local.team();
    const entryId = await local.uploadAt(team, T0);
    await local.tamper({ uid: team.uid, entryId }, { receivedAt });
    const { stdout, stderr, exitCode } = await exporting('--uid', team.uid);
    expect(readJsonl(stdout).map((entry) => entry.entryId)).toEqual([entryId]);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(note)]);
    expect((await exporting('--uid', team.uid, '--format', 'csv', '-o', newPath())).exitCode).toBe(code);
  });
});

describe('ailog logs export --daily', () => {
  const daily = (folder: string, ...args: string[]) => exporting('--daily', folder, '--json', ...args);
  const nameOf = (time: number) => `logs-${new Date(time).toISOString().slice(0, 10)}.jsonl`;

  test('writes each day that has ended once, and later only the days that are new', async () => {
    const own = await localWorld();
    const team = await own.team();
    const now = Date.parse('2025-11-14T23:59:59.900Z');
    stopClock(now);
    /** The time so many hours after the start of the day three days ago. */
    const days = (hours: number) => now - (now % (24 * HOUR_MS)) + (hours - 72) * HOUR_MS;
    // Three days ago, at its first and last millisecond, then one day later; today has not ended.
    const times = [days(0), days(24) - 1, days(30), days(72)];
    const ids: string[] = [];
    for (const time of times) ids.push(await own.uploadAt(team, time));
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
    await own.uploadAt(team, days(0) - HOUR_MS);
    rmSync(join(own.folder, 'backup', names[1] as string));
    expect((await run()).files).toEqual([join(own.folder, 'backup', names[1] as string)]);
  });

  test('a file in place of the folder is named', async () => {
    const path = newPath();
    writeFileSync(path, 'mine');
    expect(await daily(path)).toEqual(says(2, `${path} is a file, not a folder.\n`));
  });

  test('of an empty table writes nothing', async () => {
    const own = await localWorld();
    const { exitCode, stdout } = await own.ailog(['logs', 'export', '--daily', 'backup', '--json']);
    expect({ exitCode, files: JSON.parse(stdout).files }).toEqual({ exitCode: 0, files: [] });
  });
});
