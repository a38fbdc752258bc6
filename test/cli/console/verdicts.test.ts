import { chownSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changes } from '../../../cli/console/server/routes.ts';
import { reviewsTable } from '../../../cli/review/verdicts/reviewsTable.ts';
import { localWorld } from '../../setup/world.ts';
import { ask, openConsole, type RunningConsole } from './openConsole.ts';

const data = await localWorld().sequenced({ isLive: true });
const { uid } = data.owner;
await data.allowlist.put({ uid, status: 'approved' });
const entryId = await data.upload();
const other = await data.oldTeam();
const others = await data.upload({}, other);
await data.ailog(['data', 'sync']);
const writing = await openConsole(data.folder, ['--write', '--no-sync'], { AILOG_REVIEWER: 'ann' });
const reading = await openConsole(data.folder, ['--no-sync']);
for (const one of [writing, reading]) await one.get('board');

const post = async (
  one: RunningConsole,
  name: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => {
  const own = { ...(await one.headers()), 'content-type': 'application/json', ...headers };
  const answer = await ask(one.origin, `/api/${name}`, own, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, text: answer.text };
};
const count = async () => (await reviewsTable({ db: data.db, tables: data.names }).read()).records.length;

describe('a change of verdicts', () => {
  const names = Object.entries(changes).flatMap(([name, { writes }]) => (writes ? [name] : []));

  test('is all that a console without --write refuses', () => {
    expect(names).toEqual(['addVerdict', 'undoVerdict', 'buildStatement', 'disqualify']);
  });

  test.each(names)('%s needs --write, JSON and the session', async (name) => {
    const body = { uid, verdict: 'looked-at' };
    const before = await count();
    const refused = await post(reading, name, body);
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([400, 'This console only reads.']);
    expect((await post(writing, name, body, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(writing, name, body, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await post(writing, name, body, { 'x-ailog-session': '' })).status).toBe(401);
    for (const wrong of [null, {}, { uid: 1 }, { uid: '1 OR 1' }, { uid: '../x' }]) {
      expect((await post(writing, name, wrong)).text).toContain('Give the UID of a team, a decimal number.');
    }
    expect(await count()).toBe(before);
  });

  // biome-ignore format: one case a line
  test.each<[string, () => object, number, string]>([
    ['no verdict', () => ({}), 400, 'a field that is missing or wrong'],
    ['an unknown verdict', () => ({ verdict: 'withdrawn' }), 400, 'a field that is missing or wrong'],
    ['a text that is no text', () => ({ text: { a: 1 } }), 400, 'a field that is missing or wrong'],
    ['a disqualification for a question', () => ({ verdict: 'disqualify', reason: 'late', text: 'x', read: 'y' }), 400, 'needs a sentence that says what you read'],
    ['a reason that is no text', () => ({ reason: 1 }), 400, 'a field that is missing or wrong'],
    ['an unknown reason', () => ({ reason: 'nose' }), 400, 'the reason code is one of: no entries, late'],
    ['entries that are no list', () => ({ entries: entryId }), 400, 'a field that is missing or wrong'],
    ['the start of an entry id', () => ({ entries: [entryId.slice(0, 20)] }), 400, 'a field that is missing or wrong'],
    ['an entry of another team', () => ({ entries: [others] }), 404, `There is no entry`],
    ['a sample without a seed', () => ({ sample: { size: 1, failures: 0 } }), 400, 'a field that is missing or wrong'],
    ['a sample of half a log', () => ({ sample: { seed: 's', size: 0.5, failures: 0 } }), 400, 'a field that is missing or wrong'],
    ['a sample of no log', () => ({ sample: { seed: 's', size: 0, failures: 0 } }), 400, 'a sample has at least one log'],
    ['a sample with too many failures', () => ({ sample: { seed: 's', size: 1, failures: 2 } }), 400, 'at most as many failures as logs'],
    ['a statement elsewhere', () => ({ statement: '../team.statement' }), 400, 'There is no such statement about UID'],
    ['a statement about another team', () => ({ statement: '1-20251114T093000.statement' }), 400, 'There is no such statement about UID'],
    ['a statement that is gone', () => ({ statement: `${uid}-20251114T093000.statement` }), 400, 'There is no such statement about UID'],
    ['a disqualification without a statement', () => ({ verdict: 'disqualify', reason: 'no entries', text: 'x' }), 400, 'needs a statement as evidence'],
  ])('with %s is refused, and says why', async (name, body, status, message) => {
    const before = await count();
    const looked = name === 'no verdict' ? {} : { verdict: 'looked-at' };
    const answer = await post(writing, 'addVerdict', { uid, ...looked, ...body() });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
    expect(await count()).toBe(before);
  });

  test('can name the statements about its own team alone, the newest first', async () => {
    const names = [`${uid}-20251114T093001.statement`, `${uid}-20251115T093001.statement`];
    const foreign = [
      `1${uid}-20251116T093001.statement`,
      `${uid.slice(1)}-20251116T093001.statement`,
      `${uid}.statement`,
    ];
    for (const name of [...names, ...foreign]) writeFileSync(join(data.folder, name), '');
    // Somebody else has put these there.
    foreign.push(`${uid}-20251117T093001.statement`, `${uid}-20251118T093001.statement`);
    symlinkSync(join(data.folder, names[0] as string), join(data.folder, foreign[3] as string));
    writeFileSync(join(data.folder, foreign[4] as string), '');
    if (process.geteuid?.() === 0) chownSync(join(data.folder, foreign[4] as string), 65_534, 65_534);
    else rmSync(join(data.folder, foreign[4] as string));
    expect((await writing.get('case', { uid })).answer.statements).toEqual(names.toReversed());
    for (const statement of foreign.slice(3)) {
      const { text } = await post(writing, 'addVerdict', { uid, verdict: 'looked-at', statement });
      expect(text).toContain('There is no such statement about UID');
    }
    for (const name of [...names, ...foreign]) rmSync(join(data.folder, name), { force: true });
  });

  test('without the agreement of two people disqualifies nobody, and there is nothing to withdraw', async () => {
    // Nobody gives a verdict about this team.
    const { uid } = other;
    const refused = await post(writing, 'disqualify', { uid });
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('two people must agree, and 0 did.')]);
    expect((await data.allowlist.get(uid))?.status).toBe('approved');
    expect((await post(writing, 'undoVerdict', { uid })).text).toContain('You have given no verdict about UID');
  });

  test('is recorded with the period of the figures, and read back', async () => {
    expect((await post(writing, 'addVerdict', { uid, verdict: 'looked-at', entries: [entryId] })).status).toBe(200);
    const read = async (one: RunningConsole, name: string, params = {}) => (await one.get(name, params)).answer;
    const { period } = await read(writing, 'board');
    const found = await read(writing, 'case', { uid });
    expect(found).toMatchObject({
      uid,
      hidden: 0,
      isAgreed: false,
      caller: 'local:ann',
      entries: 1,
      statements: [],
      records: [
        {
          arn: 'local:ann',
          verdict: 'looked-at',
          entries: [entryId],
          period: { from: new Date(period.from).toISOString(), until: new Date(period.until).toISOString() },
        },
      ],
    });
    expect(found.standing).toEqual([found.own]);
    expect(await read(reading, 'case', { uid })).toMatchObject({ hidden: 1, records: [], standing: [] });
    expect(await read(reading, 'verdicts')).toEqual({ [uid]: { text: '1 not shown', waits: true } });
    expect(await read(writing, 'verdicts')).toEqual({ [uid]: { text: 'looked-at 1', own: 'looked-at', waits: false } });
  });
});
