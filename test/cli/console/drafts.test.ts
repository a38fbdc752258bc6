import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDrafts } from '../../../cli/console/server/drafts.ts';
import { localWorld, temporaryFolder } from '../../setup/world.ts';
import { ask, openConsole } from './openConsole.ts';

const local = await localWorld();
await local.uploadAt(await local.team(), Date.now());

/** A text with characters that the page escapes wherever it shows the text of a team. */
const TEXT = 'two lines\nan emoji of a family 👨‍👩‍👧 \u202e and \u0007';

const eve = await openConsole(local.folder, ['--no-sync'], { AILOG_REVIEWER: 'eve' });

const drafts = (reviewer: string, rowsFolder = join(temporaryFolder(), 'rows')) => ({
  rowsFolder,
  own: openDrafts({ rowsFolder, caller: async () => ({ id: reviewer, arn: 'arn' }) }),
});

test('a draft outlives its console, whose next origin is another one, and is the reviewer’s own', async () => {
  const as = (reviewer: string) => openConsole(local.folder, ['--no-sync'], { AILOG_REVIEWER: reviewer });
  const first = await as('ann');
  expect((await first.get('drafts')).answer).toEqual({});
  const draft = {
    verdict: 'explained',
    reason: '',
    text: TEXT,
    pins: ['1'],
    sample: { seed: 's', size: 1, failures: 0 },
  };
  await first.post('saveDraft', { uid: '7', change: draft });
  await first.post('saveDraft', { uid: '8', change: { text: 'about another' } });
  await first.end();

  const second = await as('ann');
  expect(second.origin).not.toBe(first.origin);
  expect((await second.get('drafts')).answer).toEqual({ 7: draft, 8: { text: 'about another' } });
  expect((await ask(second.origin, '/api/drafts')).status).toBe(401);
  await second.end();
  const other = await as('bob');
  expect((await other.get('drafts')).answer).toEqual({});
  await other.end();

  const files = globSync(join(local.folder, '.local/rows.drafts/**'));
  const modes = files.map((path) => [statSync(path).isFile(), statSync(path).mode & 0o777]);
  expect(modes.toSorted()).toEqual([
    [false, 0o700],
    [false, 0o700],
    [true, 0o600],
    [true, 0o600],
  ]);
});

test('a change keeps what it does not name, and nothing is left of an empty draft', async () => {
  const { own, rowsFolder } = drafts('ann');
  await own.change('7', { text: 'a', reason: '' });
  await own.change('7', { pins: ['1'] });
  await own.change('7', { text: 'b', pins: null });
  expect(await own.all()).toEqual({ 7: { reason: '', text: 'b' } });
  await own.change('7', { text: '', reason: null, pins: [] });
  expect(await own.all()).toEqual({});
  expect(globSync(join(`${rowsFolder}.drafts`, '*/*'))).toEqual([]);
  // Fields are in one order, so that the page can compare drafts.
  await own.change('7', { pins: ['1'], verdict: 'explained' });
  expect(JSON.stringify(await own.all())).toBe('{"7":{"verdict":"explained","pins":["1"]}}');
});

test.each([
  ['no object', null],
  ['an unknown field', { arn: 'ann' }],
  ['a field of Object', { __proto__: undefined, toString: 'x' }],
  ['a text that is none', { text: 1 }],
  ['a verdict that is none', { verdict: {} }],
  ['a reason that is none', { reason: true }],
  ['a statement that is none', { statement: [] }],
  ['pins that are no list', { pins: 'x' }],
  ['a pin that is no text', { pins: [1] }],
  ['a sample without a size', { sample: { seed: 's', failures: 0 } }],
  ['a sample without a seed', { sample: { size: 1, failures: 0 } }],
])('%s is no change of a draft, and no draft that is stored', async (_name, change) => {
  const { status, answer } = await eve.post('saveDraft', { uid: '7', change });
  expect([status, answer.message]).toEqual([400, 'The draft has a field that is wrong.']);
  expect((await eve.get('drafts')).answer).toEqual({});
});

test('a file that is no draft is named, and stays as it is', async () => {
  const { own, rowsFolder } = drafts('ann');
  await own.change('7', { text: 'a' });
  const [path = ''] = globSync(join(`${rowsFolder}.drafts`, '*/7.json'));
  for (const text of ['{broken', '[1]', '5', '{"text":5}']) {
    writeFileSync(path, text);
    await expect(own.all()).rejects.toThrow(`${path} is no draft.`);
    await expect(own.change('7', { text: 'b' })).rejects.toThrow(`${path} is no draft.`);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  // What is no file of a draft says nothing.
  writeFileSync(path, '{"text":"c"}');
  writeFileSync(join(dirname(path), 'x.json'), '{broken');
  expect(await own.all()).toEqual({ 7: { text: 'c' } });
});

test('a draft has a limit, and one folder for each reviewer, which is no link', async () => {
  const { own, rowsFolder } = drafts('ann');
  await own.change('7', { text: 'x'.repeat(1024 * 1024 - 20) });
  await expect(own.change('7', { text: 'x'.repeat(1024 * 1024) })).rejects.toThrow('The draft is longer than 1 MiB.');
  expect((await own.all())['7']?.text).toHaveLength(1024 * 1024 - 20);

  const [folder = ''] = readdirSync(`${rowsFolder}.drafts`);
  const theirs = temporaryFolder();
  const planted = drafts('ann');
  mkdirSync(`${planted.rowsFolder}.drafts`);
  symlinkSync(theirs, join(`${planted.rowsFolder}.drafts`, folder));
  await expect(planted.own.change('7', { text: 'a' })).rejects.toThrow('is a link.');
  expect(existsSync(join(theirs, '7.json'))).toBe(false);
});

test('who the reviewer is, is asked once, and again after a failure', async () => {
  let asked = 0;
  const caller = async () => {
    asked += 1;
    if (asked === 1) throw new Error('no network');
    return { id: 'ann', arn: 'arn' };
  };
  const own = openDrafts({ rowsFolder: join(temporaryFolder(), 'rows'), caller });
  await expect(own.all()).rejects.toThrow('no network');
  await own.change('7', { text: 'a' });
  expect([await own.all(), asked]).toEqual([{ 7: { text: 'a' } }, 2]);
});
