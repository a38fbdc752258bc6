import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Line, unwrittenJournal } from '../../../cli/proof/evidence/journal.ts';
import { createTerminal } from '../../../cli/shell/terminal/terminal.ts';
import { signRequest } from '../../../cli/upload/attempt.ts';
import { type Result, uploadFolder, watchFolder } from '../../../cli/upload/uploadFolder.ts';
import { folderOf, notes, type Team, world } from '../../setup/world.ts';
import { busy, linesOf, log, outcomesOf, stagesIn } from './folders.ts';

const work = await world().served();
let team: Team;
beforeEach(async () => {
  work.way.plan();
  team = await work.team();
});

const stagesOf = (team: Team) => stagesIn(work, team);
const RESULTS = 'ailog-results.jsonl';
const uploadAll = (team: Team, folder: string, ...more: string[]) =>
  work.run(team, ['upload', '--dir', folder, '--json', ...more]);
/** Starts a command that can be interrupted like by Ctrl-C. */
function start(team: Team, args: readonly string[]) {
  const stop = new AbortController();
  return { running: work.run(team, args, { signal: stop.signal }), interrupt: () => stop.abort() };
}
const resultsOf = (folder: string): Line[] => linesOf(readFileSync(join(folder, RESULTS), 'utf8'));
const statesOf = (folder: string) =>
  resultsOf(folder)
    .map(({ file, state }) => `${file} ${state}`)
    .join(', ');

test('a folder is uploaded in order of names without hidden files, and a second run sends only new files', async () => {
  const others = { 'notes.txt': 'no log', '.x.json': log('hidden'), '._1.json': 'hidden, and no JSON' };
  const folder = folderOf({ '10.json': log('c'), '2.json': log('b'), '1.json': log('a'), ...others });
  const first = await uploadAll(team, folder);
  const results = JSON.parse(first.stdout);
  expect(outcomesOf(results)).toBe('1.json stored, 2.json stored, 10.json stored');
  expect(first).toMatchObject({
    exitCode: 0,
    stderr: `Warning: 3 logs, such as 1.json, name no order. A log that led to an order must name it: "orderId" in the log, or --order.
3 logs: 3 stored, 0 stored before, 0 not stored. Results: ${join(folder, RESULTS)}\n`,
  });
  expect(await stagesOf(team)).toEqual(['a', 'b', 'c']);
  const entries = (await work.entriesOf(team.uid)).map(({ entryId }) => entryId);
  expect(results.map(({ entryId }: Record<string, string>) => entryId)).toEqual(entries);
  expect(
    resultsOf(folder)
      .map(({ state }) => state)
      .join(),
  ).toBe('sending,stored,sending,stored,sending,stored');

  writeFileSync(join(folder, '11.json'), log('d'));
  work.way.plan();
  const second = await uploadAll(team, folder);
  expect(second).toMatchObject(notes(0, /^4 logs: 1 stored, 3 stored before, 0 not stored\./m));
  expect(work.way.seen()).toHaveLength(1);
  expect(await stagesOf(team)).toEqual(['a', 'b', 'c', 'd']);
});

test('a progress bar shows the logs, and ends with their number', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { stderr } = await work.run(await work.team(), ['upload', '--dir', folder], { types: [] });
  expect(stderr).toMatch(/^\r.{3}─{24} 0\/2 Uploading 2 logs\r/);
  expect(stderr).toContain('K2 logs\n');
});

test('an invalid log is named and skipped; the next run uploads it when it is corrected', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': '{}', '3.json': log('c') });
  const { exitCode, stdout } = await work.run(team, ['upload', '--dir', folder]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^status .*\nstored +1\.json .*\ninvalid +2\.json +40019: Parameter stage cannot be empty.*\nstored +3\.json .*\n\nNot stored:\nstatus .*\ninvalid +2\.json .*\n$/,
  );
  writeFileSync(join(folder, '2.json'), log('b'));
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'c', 'b']);
});

test('a log that cannot be read any more, or is too large, is named, and the others are uploaded', async () => {
  const names = ['1.json', '2.json', '3.json', '4.json', '5.json'];
  const folder = folderOf(Object.fromEntries(names.map((name) => [name, log(name)])));
  truncateSync(join(folder, '4.json'), 3 * 2 ** 30);
  work.way.plan(busy(503, '1'));
  const { running } = start(team, ['upload', '--dir', folder, '--json']);
  await expect.poll(() => work.way.seen().length).toBe(1);
  for (const name of ['2.json', '3.json']) rmSync(join(folder, name));
  mkdirSync(join(folder, '3.json'));
  const { exitCode, stdout, stderr } = await running;
  expect(JSON.parse(stdout)).toMatchObject([
    { file: '1.json', status: 'stored' },
    { file: '2.json', status: 'invalid', says: `There is no file ${join(folder, '2.json')}` },
    { file: '3.json', status: 'invalid', says: `${join(folder, '3.json')} is a folder, not a file` },
    {
      file: '4.json',
      status: 'invalid',
      says: '413: Body too large: limit 1048576 bytes, received 3221225472 bytes',
    },
    { file: '5.json', status: 'stored' },
  ]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('5 logs: 2 stored, 0 stored before, 3 not stored.')]);
  expect(await stagesOf(team)).toEqual(['1.json', '5.json']);
});

test('an error that does not depend on the log stops the run; the next run continues', async () => {
  const team = await work.team({ status: 'suspended' });
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { exitCode, stderr } = await uploadAll(team, folder);
  expect({ exitCode, stderr }).toEqual(notes(3, '1.json was rejected: HTTP 403, 40022'));
  expect(work.way.seen()).toHaveLength(1);
  await work.allowlist.put({ uid: team.uid, status: 'approved' });
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
});

test('killed while waiting for an answer: the next run sends the identical request, and there is one entry', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan('pass', 'hang');
  const running = work.start(team, ['upload', '--dir', folder]);
  await expect.poll(() => work.entriesOf(team.uid)).toHaveLength(2);
  running.kill('SIGKILL');
  await running.ended;
  expect(statesOf(folder)).toBe('1.json sending, 1.json stored, 2.json sending');
  expect(existsSync(join(folder, `${RESULTS}.lock`))).toBe(true);

  const { exitCode, stdout } = await uploadAll(team, folder);
  const [, , identical, ...more] = work.way.seen();
  expect(more).toEqual([]);
  expect(identical).toEqual(work.way.seen()[1]);
  expect({ exitCode, results: JSON.parse(stdout) }).toMatchObject({
    exitCode: 0,
    results: [{ file: '2.json', status: 'stored' }],
  });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
  expect(existsSync(join(folder, `${RESULTS}.lock`))).toBe(false);
});

/** Creates a folder whose upload was interrupted too long ago to send the identical request. */
function createInterrupted(team: Team) {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { accessKey } = team;
  const { entryId } = signRequest({ ...team, url: work.way.url }, Buffer.from(log('a')), Date.now() - 40_000);
  const sending = { file: '1.json', state: 'sending', digest: 'before', order: '7', entryId } as const;
  const line: Line = { ...sending, url: work.way.url, accessKey, at: '' };
  writeFileSync(join(folder, RESULTS), `${JSON.stringify(line)}\n{"file":"2.js`);
  return { folder, entryId };
}

test('interrupted more than 30 s ago: the log is named with its entry and not sent, and the others are uploaded', async () => {
  const { folder, entryId } = createInterrupted(team);
  const { exitCode, stdout } = await uploadAll(team, folder);
  expect({ exitCode, results: JSON.parse(stdout) }).toMatchObject({
    exitCode: 1,
    results: [
      { file: '1.json', status: 'unknown', entryId, says: expect.stringContaining('--again re-uploads it') },
      { file: '2.json', status: 'stored' },
    ],
  });
  expect(await stagesOf(team)).toEqual(['b']);
});

test('--again re-uploads such a log', async () => {
  const { folder } = createInterrupted(team);
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
  work.way.plan();
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  expect(work.way.seen()).toEqual([]);
});

test('--again without an answer leaves its own entry on record, and not the one before', async () => {
  const { folder, entryId } = createInterrupted(team);
  work.way.plan({ status: 503, headers: { 'Retry-After': '60' } });
  await uploadAll(team, folder, '--again');
  const last = resultsOf(folder).findLast(({ file }) => file === '1.json');
  expect(last).toMatchObject({ state: 'unknown', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(last?.entryId).not.toBe(entryId);
});

test('a rejection with --again keeps the unknown state on record', async () => {
  const team = await work.team({ status: 'suspended' });
  const { folder, entryId } = createInterrupted(team);
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 3 });
  expect(resultsOf(folder).at(-1)).toMatchObject({
    file: '1.json',
    state: 'unknown',
    entryId,
    digest: 'before',
    order: '7',
    says: expect.stringMatching(/^HTTP 403, 40022/),
  });
});

test('a log that is rejected twice is certainly not stored, and the next run uploads it', async () => {
  const folder = folderOf({ '1.json': log('a') });
  for (let run = 0; run < 2; run += 1) {
    work.way.plan({ status: 400, body: '{"code":"40017","msg":"so"}' });
    expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 1 });
  }
  expect(statesOf(folder)).toBe('1.json sending, 1.json not stored, 1.json sending, 1.json not stored');
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
});

test('Ctrl-C between two logs of a watched folder waits for none', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { running, interrupt } = start(team, ['upload', '--dir', folder, '--watch']);
  await expect
    .poll(() => existsSync(join(folder, RESULTS)) && statesOf(folder), { timeout: 30_000 })
    .toMatch(/2.json stored/);
  interrupt();
  expect((await running).stderr).not.toContain('Stopping as soon');
});

/** What an upload gets that no command starts. */
function surroundings() {
  const stream = () => new PassThrough() as never;
  return {
    terminal: createTerminal({ env: {}, stdin: stream(), stdout: stream(), stderr: stream(), cwd: () => '/' }),
    access: { ...team, url: work.way.url },
    options: { again: false, skipped() {}, timeout: 20_000, patience: 0, journal: unwrittenJournal() },
  };
}

test('a result that cannot be told ends the run', async () => {
  const { terminal, access, options } = surroundings();
  const names = ['1.json', '2.json'];
  const done = async () => {
    throw new Error('Nobody reads the output.');
  };
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  await expect(uploadFolder(terminal, access, folder, names, { ...options, done })).rejects.toThrow('Nobody reads');
  expect(await stagesOf(team)).toEqual(['a']);
});

test('logs stored on one service are uploaded to another', async () => {
  const folder = folderOf({ '1.json': log('a') });
  await uploadAll(team, folder, '--url', work.service);
  expect(await uploadAll(team, folder, '--url', work.way.url)).toMatchObject({ exitCode: 0 });
  expect(await work.entriesOf(team.uid)).toHaveLength(2);
});

test('Ctrl-C finishes the current log, and the next run continues', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan(busy(503, '1'));
  const { running, interrupt } = start(team, ['upload', '--dir', folder]);
  await expect.poll(() => work.way.seen().length).toBe(1);
  interrupt();
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }).toEqual(
    notes(
      130,
      /^Stopping as soon as the outcome of this log is known\. Ctrl-C again stops at once\.\n.*Run the command again to continue/ms,
    ),
  );
  expect(stdout).toContain('1.json');
  expect(await stagesOf(team)).toEqual(['a']);
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
});

test('Ctrl-C before a log can be stored: nothing is in doubt, and the next run uploads it', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan(busy(429, '20'));
  const { running, interrupt } = start(team, ['upload', '--dir', folder]);
  await expect.poll(() => work.way.seen().length).toBe(1);
  interrupt();
  const { exitCode, stderr } = await running;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: expect.stringContaining('0 not stored, 2 not tried') });
  expect(statesOf(folder)).toBe('1.json sending, 1.json not stored');
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
});

test('Ctrl-C while it stays unknown whether a log is stored: the log is listed with its entry, and no other is sent', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan(busy(503, '1'), busy(503, '60'));
  const { running, interrupt } = start(team, ['upload', '--dir', folder, '--json']);
  await expect.poll(() => work.way.seen().length).toBe(1);
  interrupt();
  const { exitCode, stdout, stderr } = await running;
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    4,
    [expect.objectContaining({ file: '1.json', status: 'unknown', entryId: resultsOf(folder)[0]?.entryId })],
  ]);
  expect(stderr).toContain('1.json may or may not be stored after 2 attempts');
  expect(stderr).toContain('1 not tried');
});

describe('a result file belongs to one team', () => {
  const uidOf = (team: Team) => ({ env: { AILOG_UID: team.uid } });
  const upload = (team: Team, folder: string, more: string[] = [], options = {}) =>
    work.run(team, ['upload', '--dir', folder, ...more], options);

  test('another key is rejected, and named; nothing is sent', async () => {
    const one = await work.team();
    const other = await work.team();
    const folder = folderOf({ '1.json': log('a') });
    await upload(one, folder);
    work.way.plan();
    for (const options of [{}, uidOf(other)]) {
      const ran = await upload(other, folder, [], options);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain(`has the results of key ${one.accessKey}; this run is for `);
    }
    expect(work.way.seen()).toEqual([]);
    expect(await upload(other, folder, ['--results', join(folder, 'other.jsonl')])).toMatchObject({ exitCode: 0 });
    expect(await stagesOf(other)).toEqual(['a']);
  });

  test('another UID is rejected', async () => {
    const one = await work.team();
    const other = await work.team();
    const folder = folderOf({ '1.json': log('a') });
    await upload(one, folder, [], uidOf(one));
    const { exitCode, stderr } = await upload(other, folder, [], uidOf(other));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `has the results of UID ${one.uid}, key ${one.accessKey}; this run is for UID ${other.uid}`,
    );
  });

  test('a new key of the same team continues: its credentials name the same UID', async () => {
    const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
    await upload(team, folder, [], uidOf(team));
    const renewed = await work.issue(team.uid);
    const ran = await upload(renewed, folder, [], uidOf(team));
    expect(ran).toMatchObject(notes(0, '0 stored, 2 stored before'));
    expect(await stagesOf(team)).toEqual(['a', 'b']);
  });
});

describe('a single file', () => {
  const upload = (team: Team, path: string, ...more: string[]) => work.run(team, ['upload', path, '--json', ...more]);

  test('uploaded twice is stored once, and --dir knows it', async () => {
    const folder = folderOf({ '1.json': log('a') });
    const first = await upload(team, join(folder, '1.json'));
    const second = await upload(team, join(folder, '1.json'));
    expect(first).toMatchObject({ exitCode: 0 });
    expect(second).toMatchObject(notes(0, 'was stored before. Nothing was sent.'));
    const { rateLimit: _, ...stored } = JSON.parse(first.stdout);
    expect(JSON.parse(second.stdout)).toEqual({ ...stored, attempts: 0 });
    expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await stagesOf(team)).toEqual(['a']);
  });

  test('with --order is stored once, and another order is rejected', async () => {
    const folder = folderOf({ '1.json': log('a') });
    const path = join(folder, '1.json');
    expect(await upload(team, path, '--order', '7')).toMatchObject({ exitCode: 0 });
    expect(await upload(team, path, '--order', '7')).toMatchObject({ exitCode: 0 });
    expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(await upload(team, path, '--order', '8')).toMatchObject(
      notes(1, 'it was stored with --order 7; a log of another order needs a new name'),
    );
    expect(await work.entriesOf(team.uid)).toHaveLength(1);
  });

  test('in doubt is sent again as the identical request', async () => {
    const path = join(folderOf({ '1.json': log('a') }), '1.json');
    work.way.plan('hang');
    const { running, interrupt } = start(team, ['upload', path]);
    await expect.poll(() => work.entriesOf(team.uid)).toHaveLength(1);
    interrupt();
    expect(await running).toMatchObject(
      notes(130, 'Run the same command again within 28 s: it sends the identical request.'),
    );
    expect(await upload(team, path)).toMatchObject({ exitCode: 0 });
    const [first, second] = work.way.seen();
    expect(second).toEqual(first);
    expect(await stagesOf(team)).toEqual(['a']);
  });

  test('several files of a folder at the same time are all stored', async () => {
    const names = ['1.json', '2.json', '3.json'];
    const folder = folderOf(Object.fromEntries(names.map((name) => [name, log(name)])));
    const ran = await Promise.all([...names, '1.json'].map((name) => upload(team, join(folder, name))));
    expect(ran.map(({ exitCode, stderr }) => [exitCode, /already uploading/.test(stderr)])).toEqual(
      ran.map(() => [0, false]),
    );
    expect((await stagesOf(team)).sort()).toEqual(names);
  });
});

test('--watch sends a log only when its writer has finished', async () => {
  const { terminal, access, options } = surroundings();
  const folder = folderOf();
  const parts = log('a').match(/.{1,60}/gs) ?? [];
  const results: Result[] = [];
  const resultsAtLooks: number[] = [];
  const pause = async () => {
    resultsAtLooks.push(results.length);
    const part = parts[resultsAtLooks.length - 1];
    if (part !== undefined) appendFileSync(join(folder, '1.json'), part);
    else if (results.length > 0) throw new Error('It is stopped.');
  };
  const done = (result: Result) => void results.push(result);
  const watching = watchFolder(terminal, access, folder, { ...options, done }, pause);
  await expect(watching).rejects.toThrow('Stopped watching.');
  // A look finds what was written last; the next one, that nothing was added.
  expect(resultsAtLooks).toEqual([...parts.map(() => 0), 0, 1]);
  expect(outcomesOf(results)).toBe('1.json stored');
  expect(await stagesOf(team)).toEqual(['a']);
});

test.each([
  ['text', [], 'rejected  a\\u009b2J.json  HTTP 401, 40006: Invalid ACCESS-KEY: "ailog_'],
  ['JSON', ['--json'], '{"file":"a\\u009b2J.json","status":"rejected"'],
])(
  '--watch stops if the service rejects the key, and no file name controls the terminal: %s',
  async (_name, args, says) => {
    const team = await work.team({ key: { status: 'revoked' } });
    const folder = folderOf({ 'a\u009b2J.json': log('a') });
    const ran = await work.run(team, ['upload', '--dir', folder, '--watch', ...args]);
    expect(ran).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining(says),
      stderr: expect.stringContaining('a\\u009b2J.json was rejected: HTTP 401, 40006'),
    });
  },
);
