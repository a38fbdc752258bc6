import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Line } from '../../../cli/team/journal.ts';
import { signRequest } from '../../../cli/team/signedRequest.ts';
import type { Team } from '../../setup/fixture.ts';
import { folderOf, LOG, openTeamFixture, type TeamFixture } from './teamFixture.ts';

let work: TeamFixture;
beforeAll(async () => {
  work = await openTeamFixture();
});
afterAll(() => work.close());
beforeEach(() => work.way.plan());

const RESULTS = 'ailog-results.jsonl';
const log = (stage: string) => LOG.replace('决策', stage);
const uploadAll = (team: Team, folder: string, ...more: string[]) =>
  work.run(team, ['upload', '--dir', folder, '--json', ...more]);
const resultsOf = (folder: string): Line[] =>
  readFileSync(join(folder, RESULTS), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const stagesOf = async (team: Team) =>
  (await work.fixture.entriesOf(team.uid)).map(({ body }) => JSON.parse(zstdDecompressSync(body).toString()).stage);

test('a folder is uploaded in order of file names, and a second run sends only new files', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '10.json': log('c'), '2.json': log('b'), '1.json': log('a'), 'notes.txt': 'no log' });
  const first = await uploadAll(team, folder);
  const results = JSON.parse(first.stdout);
  expect(results.map(({ file, result }: Record<string, string>) => `${file} ${result}`)).toEqual([
    '1.json stored',
    '2.json stored',
    '10.json stored',
  ]);
  expect(first).toMatchObject({
    exitCode: 0,
    stderr: `3 logs: 3 stored, 0 stored before, 0 not stored. Results: ${join(folder, RESULTS)}\n`,
  });
  expect(await stagesOf(team)).toEqual(['a', 'b', 'c']);
  const entries = (await work.fixture.entriesOf(team.uid)).map(({ entryId }) => entryId);
  expect(results.map(({ entry }: Record<string, string>) => entry)).toEqual(entries);
  expect(resultsOf(folder).map(({ state }) => state)).toEqual([
    'sending',
    'stored',
    'sending',
    'stored',
    'sending',
    'stored',
  ]);

  writeFileSync(join(folder, '11.json'), log('d'));
  work.way.plan();
  const second = await uploadAll(team, folder);
  expect(second).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^4 logs: 1 stored, 3 stored before, 0 not stored\./),
  });
  expect(work.way.seen()).toHaveLength(1);
  expect(await stagesOf(team)).toEqual(['a', 'b', 'c', 'd']);
});

test('an invalid log is named and skipped; the next run uploads it when it is corrected', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '1.json': log('a'), '2.json': '{}', '3.json': log('c') });
  const { exitCode, stdout } = await work.run(team, ['upload', '--dir', folder]);
  expect(exitCode).toBe(1);
  expect(stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
    'result file',
    'stored 1.json',
    'invalid 2.json',
    'stored 3.json',
    '',
  ]);
  expect(stdout).toContain('40019: Parameter stage cannot be empty');
  writeFileSync(join(folder, '2.json'), log('b'));
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'c', 'b']);
});

test('a log that changed after it was stored is named and not sent', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '1.json': log('a') });
  await uploadAll(team, folder);
  writeFileSync(join(folder, '1.json'), log('changed'));
  work.way.plan();
  const { exitCode, stdout } = await uploadAll(team, folder);
  expect({ exitCode, results: JSON.parse(stdout) }).toMatchObject({ exitCode: 1, results: [{ result: 'changed' }] });
  expect(work.way.seen()).toEqual([]);
});

test('an error that does not depend on the log stops the run; the next run continues', async () => {
  const team = await work.fixture.team({ status: 'suspended' });
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { exitCode, stderr } = await uploadAll(team, folder);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringContaining('1.json was rejected: HTTP 403, 40022'),
  });
  expect(work.way.seen()).toHaveLength(1);
  await work.fixture.allowlist.put({ uid: team.uid, status: 'approved' });
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
});

test('killed while waiting for an answer: the next run sends the identical request, and there is one entry', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan('pass', 'hang');
  const running = work.start(team, ['upload', '--dir', folder]);
  await expect.poll(() => work.fixture.entriesOf(team.uid), { timeout: 20_000 }).toHaveLength(2);
  running.kill('SIGKILL');
  await running.ended;
  expect(resultsOf(folder).map(({ file, state }) => `${file} ${state}`)).toEqual([
    '1.json sending',
    '1.json stored',
    '2.json sending',
  ]);
  expect(existsSync(join(folder, `${RESULTS}.lock`))).toBe(true);

  const { exitCode, stdout } = await uploadAll(team, folder);
  const [, , identical, ...more] = work.way.seen();
  expect(more).toEqual([]);
  expect(identical).toEqual(work.way.seen()[1]);
  expect({ exitCode, results: JSON.parse(stdout) }).toMatchObject({
    exitCode: 0,
    results: [{ file: '2.json', result: 'stored' }],
  });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
  expect(existsSync(join(folder, `${RESULTS}.lock`))).toBe(false);
});

/** Creates a folder whose upload was interrupted too long ago to send the identical request. */
function createInterrupted(team: Team) {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  const { accessKey } = team;
  const { entryId } = signRequest({ ...team, url: work.way.url }, Buffer.from(log('a')), Date.now() - 40_000);
  const line: Line = { file: '1.json', url: work.way.url, accessKey, state: 'sending', digest: '', entryId, at: '' };
  writeFileSync(join(folder, RESULTS), `${JSON.stringify(line)}\n{"file":"2.js`);
  return { folder, entryId };
}

test('interrupted more than 30 s ago: the log is named with its entry and not sent, and the others are uploaded', async () => {
  const team = await work.fixture.team();
  const { folder, entryId } = createInterrupted(team);
  const { exitCode, stdout } = await uploadAll(team, folder);
  expect({ exitCode, results: JSON.parse(stdout) }).toMatchObject({
    exitCode: 1,
    results: [
      { file: '1.json', result: 'unknown', entry: entryId, says: expect.stringContaining('--again re-uploads it') },
      { file: '2.json', result: 'stored' },
    ],
  });
  expect(await stagesOf(team)).toEqual(['b']);
});

test('--again re-uploads such a log', async () => {
  const team = await work.fixture.team();
  const { folder } = createInterrupted(team);
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
  work.way.plan();
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  expect(work.way.seen()).toEqual([]);
});

test('a rejection with --again keeps the unknown state on record', async () => {
  const team = await work.fixture.team({ status: 'suspended' });
  const { folder, entryId } = createInterrupted(team);
  expect(await uploadAll(team, folder, '--again')).toMatchObject({ exitCode: 3 });
  expect(resultsOf(folder).at(-1)).toMatchObject({ file: '1.json', state: 'unknown', entryId });
});

test('logs stored on one service are uploaded to another', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '1.json': log('a') });
  await uploadAll(team, folder, '--url', work.service);
  expect(await uploadAll(team, folder, '--url', work.way.url)).toMatchObject({ exitCode: 0 });
  expect(await work.fixture.entriesOf(team.uid)).toHaveLength(2);
});

test('a second run at the same time is rejected', async () => {
  const folder = folderOf({ '1.json': log('a') });
  writeFileSync(join(folder, `${RESULTS}.lock`), String(process.pid));
  const ran = await uploadAll(await work.fixture.team(), folder);
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`Process ${process.pid} is already uploading this folder.`),
  });
  expect(work.way.seen()).toEqual([]);
});

test('a damaged result file is named', async () => {
  const folder = folderOf({ '1.json': log('a'), [RESULTS]: 'not JSON\n' });
  const ran = await uploadAll(await work.fixture.team(), folder);
  expect(ran).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`Line 1 of ${join(folder, RESULTS)} is not JSON.`),
  });
});

test('Ctrl-C finishes the current log, and the next run continues', async () => {
  const team = await work.fixture.team();
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b') });
  work.way.plan({ status: 503, headers: { 'Retry-After': '2' }, body: '{"code":"40015","msg":"System busy, retry"}' });
  const running = work.start(team, ['upload', '--dir', folder]);
  await expect.poll(() => work.way.seen().length, { timeout: 20_000 }).toBe(1);
  running.kill('SIGINT');
  const { exitCode, stdout, stderr } = await running.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 130,
    stderr: expect.stringContaining('Run the command again to continue'),
  });
  expect(stdout).toContain('1.json');
  expect(await stagesOf(team)).toEqual(['a']);
  expect(await uploadAll(team, folder)).toMatchObject({ exitCode: 0 });
  expect(await stagesOf(team)).toEqual(['a', 'b']);
});
