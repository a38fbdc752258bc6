import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTables } from '../../../../cli/local/localData.ts';
import { isIntact, timeOf, type VerdictRecord, withId } from '../../../../cli/review/verdicts/record.ts';
import { reviewsTable } from '../../../../cli/review/verdicts/reviewsTable.ts';
import { type Fault, localWorld, type Ran } from '../../../setup/world.ts';

const data = await localWorld().sequenced({ isLive: true });
const { uid } = data.owner;
const entries = [await data.upload({ stage: 'first' }), await data.upload({ stage: 'second' })];
await data.sequence();
await data.ailog(['statement', '--uid', uid, '-o', 'team.statement']);
const statementText = readFileSync(join(data.folder, 'team.statement'), 'utf8');
const statement = { file: 'team.statement', sha256: hash('sha256', statementText) };

const store = reviewsTable({ db: data.db, tables: data.names });
/** Returns the records about a team. */
const recordsOf = async (team: string) => (await store.read()).records.filter((record) => record.uid === team);
const as = (reviewer: string, args: readonly string[], more = {}): Promise<Ran> =>
  data.ailog(args, { env: { AILOG_REVIEWER: reviewer }, ...more });
const add = (reviewer: string, ...args: string[]) => as(reviewer, ['reviews', 'add', ...args]);
const READ = ['--read', 'all 60 pairs of logs'];
const disqualify = (reviewer: string, team = uid) =>
  add(reviewer, team, 'disqualify', '--reason', 'copies', '--text', 'of 3006', ...READ, '--evidence', 'team.statement');
const listed = async (reviewer: string, ...args: string[]) =>
  JSON.parse((await as(reviewer, ['reviews', 'list', '--json', ...args])).stdout);
let teams = 0;
/** Approves a team without entries. */
async function newTeam(): Promise<string> {
  teams += 1;
  const team = `88${teams}`;
  await data.allowlist.put({ uid: team, status: 'approved' });
  return team;
}

describe('ailog reviews add', () => {
  test('keeps who said what, when and why, with entries, sample, statement and its period', async () => {
    const before = Date.now();
    const { stdout, exitCode } = await as('ann', [
      ...['reviews', 'add', uid, 'disqualify', '--reason', 'copies', '--text', 'of 3006', ...READ, '--json'],
      ...['--entry', entries[0]?.slice(0, 20) as string, '--entry', entries[1] as string],
      ...['--sample', 's-7:60:60', '--evidence', 'team.statement'],
    ]);
    expect(exitCode).toBe(0);
    const record: VerdictRecord = JSON.parse(stdout);
    const [from, last] = entries.map((entryId) => Number(entryId.slice(0, 13))) as [number, number];
    const period = { from: new Date(from).toISOString(), until: new Date(last + 1).toISOString() };
    expect(record).toEqual({
      ...{ author: 'local:ann', arn: 'local:ann', id: record.id, uid, verdict: 'disqualify' },
      ...{
        reason: 'copies',
        text: 'of 3006',
        read: 'all 60 pairs of logs',
        entries,
        sample: { seed: 's-7', size: 60, failures: 60 },
      },
      ...{ evidence: statement, period, after: expect.any(Array) },
    });
    expect(timeOf(record)).toBeGreaterThanOrEqual(before - 1000);
    expect((await store.read()).records).toContainEqual(record);
    await add('ann', uid, 'withdraw');
  });

  // biome-ignore format: one case a line
  test.each<[string, string[], number, RegExp]>([
    ['an unknown reason', ['explained', '--reason', 'nose'], 2, /the reason code is one of: no entries, late, /],
    ['a disqualification without text', ['disqualify', '--reason', 'late', '--evidence', 'team.statement'], 2, /needs a text/],
    ['a sample without a seed', ['looked-at', '--sample', '60:0'], 2, /such as 7:60:0\./],
    ['an entry that does not exist', ['looked-at', '--entry', '1700000000000-00'], 1, /There is no entry 1700000000000-00 of UID/],
    ['no statement', ['looked-at', '--evidence', 'missing'], 2, /There is no file .*missing\./],
  ])('refuses %s', async (_name, args, exitCode, stderr) => {
    const before = (await store.read()).records.length;
    expect(await add('bob', uid, ...args)).toEqual({ exitCode, stdout: '', stderr: expect.stringMatching(stderr) });
    expect((await store.read()).records).toHaveLength(before);
  });

  test('finds room for the records of others beside a reviewer who has written hundreds', async () => {
    const team = await newTeam();
    const written = (author: string, at: number) =>
      withId({ author, arn: author, uid: team, verdict: 'looked-at' as const, after: [] }, at);
    const now = Date.now();
    const ann = written('local:ann', now - 9000);
    const flood = Array.from({ length: 120 }, (_, index) => written('local:eve', now - 5000 + index));
    await Promise.all([ann, ...flood].map((record) => store.append(record)));
    const { after } = JSON.parse((await add('bob', team, 'looked-at', '--json')).stdout);
    expect(after).toEqual([ann, ...flood.slice(-100)].map(({ id }) => id));
  });

  test('changes nothing with --dry-run', async () => {
    const before = (await store.read()).records.length;
    expect(await add('bob', uid, 'explained', '--reason', 'late', '--dry-run', '--json')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"reason": "late"'),
      stderr: 'Nothing was changed: --dry-run.\n',
    });
    expect((await store.read()).records).toHaveLength(before);
  });

  // biome-ignore format: one case a line
  test.each([
    ['another team', statementText, /it has no entry of this team/],
    ['no end', statementText.split('\n').slice(0, -2).join('\n'), /its end is missing/],
    ['an entry less', statementText.replace(/^\{"entry".*\n/m, ''), /line \d+: The end counts 2 lines, and there are 1/],
    ['a changed body', statementText.replace(/(?<="body":".*)second/, 'third'), /line \d+: The body is another one/],
    ['a line after its end', `${statementText}{"end":2}\n`, /line \d+: it comes after the end/],
    ['a first line of something else', '{"a":1}\n', /line 1: The line is no evidence/],
    ['nothing', '', /its end is missing/],
  ])('refuses a statement with %s', async (name, text, problem) => {
    writeFileSync(join(data.folder, 'wrong.statement'), text);
    const team = name === 'another team' ? await newTeam() : uid;
    const ran = await add('bob', team, 'looked-at', '--evidence', 'wrong.statement');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(problem);
    expect(ran.stderr).toContain(`is no complete statement about UID ${team}`);
  });

  test('needs no statement for a team without entries', async () => {
    const team = await newTeam();
    const args = [team, 'disqualify', '--reason', 'no entries', '--text', 'it never uploaded'];
    expect(await add('bob', ...args)).toMatchObject({ exitCode: 0 });
  });
});

describe('a reviewer', () => {
  test('sees the verdict of another only after giving one', async () => {
    const team = await newTeam();
    await add('ann', team, 'explained', '--reason', 'silent', '--text', 'an outage');
    expect(await listed('bob', '--uid', team)).toEqual([{ uid: team, agreed: false, hidden: 1, verdicts: [] }]);
    expect(await as('bob', ['reviews', 'list', '--uid', team])).toMatchObject({
      stdout: '',
      stderr: 'Not shown, because they are about teams that you have not judged: 1. --reveal shows all.\n',
    });
    expect((await as('bob', ['reviews', 'list', '--all', '--csv'])).stdout).not.toContain('an outage');
    // Records about other teams are not counted with those about one.
    await add('ann', await newTeam(), 'looked-at');
    expect((await as('bob', ['reviews', 'list', '--all', '--uid', team])).stderr).toBe(
      'Not shown, because they are about teams that you have not judged: 1. --reveal shows all.\n',
    );
    expect((await as('bob', ['allowlist', 'show', team])).stdout).toMatch(/^verdicts +1 not shown$/m);

    await add('bob', team, 'looked-at');
    const [{ verdicts, hidden }] = await listed('bob', '--uid', team);
    expect(verdicts.map(({ arn, verdict }: VerdictRecord) => [arn, verdict])).toEqual([
      ['local:ann', 'explained'],
      ['local:bob', 'looked-at'],
    ]);
    expect(hidden).toBe(0);
    expect((await as('bob', ['allowlist', 'show', team, '--json'])).stdout).toContain(
      '"verdicts": "explained 1, looked-at 1"',
    );
  });

  test('sees all with --reveal, which an archive needs', async () => {
    const team = await newTeam();
    await add('ann', team, 'explained', '--reason', 'late', '--text', '=cmd()');
    await add('ann', team, 'ask-team', '--reason', 'late');
    const { stdout } = await as('eve', ['reviews', 'list', '--all', '--reveal', '--csv']);
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(rows.filter((row) => row.uid === team).map(({ verdict, text, arn }) => [verdict, text, arn])).toEqual([
      ['explained', "'=cmd()", 'local:ann'],
      ['ask-team', '', 'local:ann'],
    ]);
    const archived: VerdictRecord[] = JSON.parse(
      (await as('eve', ['reviews', 'list', '--all', '--reveal', '--json'])).stdout,
    );
    expect(archived).toHaveLength(rows.length);
    expect(await listed('eve', '--reveal', '--uid', team)).toMatchObject([{ verdicts: [{ verdict: 'ask-team' }] }]);
  });

  test('sees no withdrawn verdict of another', async () => {
    const team = await newTeam();
    await add('ann', team, 'explained', '--reason', 'late', '--text', 'a secret view');
    await add('ann', team, 'withdraw');
    expect(await listed('bob', '--uid', team)).toEqual([]);
    const { stdout, stderr } = await as('bob', ['reviews', 'list', '--all', '--csv']);
    expect(stdout).not.toContain('a secret view');
    expect(stderr).toContain('that you have not judged:');
    expect((await as('bob', ['reviews', 'list', '--all', '--reveal', '--csv'])).stdout).toContain('a secret view');
  });
});

test('the list fits 80 columns, and has the whole text of each verdict that stands', async () => {
  const team = await newTeam();
  await add('ann', team, 'looked-at', '--text', 'word '.repeat(100));
  const { stdout } = await as('ann', ['reviews', 'list', '--uid', team], {
    ...{ types: [], columns: 80, env: { AILOG_REVIEWER: 'ann', NO_COLOR: '1' } },
  });
  const rows = stdout.trimEnd().split('\n');
  expect(rows[1]).toMatch(/^88\d+ +looked-at +local:ann +20\S+Z +word/);
  expect(rows.join(' ').match(/\bword\b/g)).toHaveLength(100);
  expect(rows.join()).not.toContain('…');
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
  expect((await as('ann', ['reviews', 'list', '--uid', team, '--csv'])).stdout).toMatch(
    /^uid,verdict,reason,by,written \(author's clock\),text\n88\d+,looked-at,,local:ann,/,
  );
  expect((await as('ann', ['reviews', 'list', '--uid', '1'])).stderr).toBe('There are no verdicts.\n');
});

describe('a disqualification', () => {
  const reviewed = (team: string) => as('admin', ['allowlist', 'disqualify', team, '--reviewed', '--yes']);
  const statusOf = async (team: string) => data.allowlist.get(team);
  beforeEach(async () => {
    await data.allowlist.put({ uid, status: 'approved' });
    for (const reviewer of ['ann', 'bob', 'cat']) await add(reviewer, uid, 'looked-at');
  });

  test('needs two people, and its reason names their reasons, statements and verdicts', async () => {
    await disqualify('ann');
    await disqualify('ann');
    expect(await reviewed(uid)).toMatchObject({
      exitCode: 1,
      stderr: `UID ${uid} cannot be disqualified yet: two people must agree, and 1 did.\nA reviewer agrees with: ailog reviews add ${uid} disqualify …\n`,
    });
    expect(await statusOf(uid)).toMatchObject({ status: 'approved' });

    await disqualify('bob');
    expect(await reviewed(uid)).toMatchObject({ exitCode: 0 });
    const [{ verdicts }] = await listed('ann', '--uid', uid);
    const ids = verdicts.flatMap(({ verdict, id }: VerdictRecord) => (verdict === 'disqualify' ? [id] : []));
    const reason = `reviewed: copies; statement SHA-256 ${statement.sha256}; verdicts ${ids.join(', ')}`;
    const entry = await statusOf(uid);
    expect(entry).toMatchObject({ status: 'disqualified', reason });
    expect(entry?.history?.at(-1)).toMatchObject({ to: 'disqualified', why: reason });
  });

  test('of three people names the two who said so first', async () => {
    for (const reviewer of ['cat', 'bob', 'ann']) await disqualify(reviewer);
    expect(await reviewed(uid)).toMatchObject({ exitCode: 0 });
    const ids = (await recordsOf(uid)).slice(-3).map(({ arn, id }) => [arn, id]);
    expect(ids.map(([arn]) => arn)).toEqual(['local:cat', 'local:bob', 'local:ann']);
    const [first, second] = ids.map(([, id]) => id);
    expect((await statusOf(uid))?.reason).toMatch(new RegExp(`; verdicts ${first}, ${second}$`));
  });

  test('is shown to everybody once two people agree', async () => {
    await disqualify('ann');
    expect(await listed('eve', '--uid', uid)).toMatchObject([{ agreed: false, hidden: 3, verdicts: [] }]);
    await disqualify('cat');
    const [{ agreed, verdicts }] = await listed('eve', '--uid', uid);
    expect([agreed, verdicts.length]).toEqual([true, 3]);
  });

  test('of a team without entries names no statement', async () => {
    const team = await newTeam();
    for (const reviewer of ['ann', 'bob'])
      await add(reviewer, team, 'disqualify', '--reason', 'no entries', '--text', 'it never uploaded');
    expect(await reviewed(team)).toMatchObject({ exitCode: 0 });
    expect((await statusOf(team))?.reason).toMatch(/^reviewed: no entries; verdicts \d{13}-[^;]+$/);
  });

  test('is withdrawn by its author alone before another person says the same, and by two people after that', async () => {
    await disqualify('ann');
    expect(await add('ann', uid, 'withdraw')).toMatchObject({ exitCode: 0, stderr: '' });
    await disqualify('bob');
    expect(await reviewed(uid)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('and 1 did') });

    await disqualify('ann');
    expect(await add('ann', uid, 'withdraw')).toMatchObject({
      exitCode: 0,
      stderr: 'Two people have agreed to disqualify this team. That stands until a second one withdraws too.\n',
    });
    const [{ agreed, takenBack }] = await listed('eve', '--uid', uid);
    expect([agreed, takenBack]).toMatchObject([true, [{ arn: 'local:ann', verdict: 'withdrawn' }]]);
    expect(await reviewed(uid)).toMatchObject({ exitCode: 0 });
    expect((await statusOf(uid))?.reason).toMatch(/; taken back by local:ann$/);
    await add('bob', uid, 'explained', '--reason', 'copies');
    expect(await reviewed(uid)).toMatchObject({ exitCode: 1 });
  });

  test.each([
    [['--reviewed', '--reason', 'x'], /Give either --reason TEXT or --reviewed\./],
    [[], /Give either --reason TEXT or --reviewed\./],
    [['9999', '--reviewed'], /Give one UID with --reviewed\./],
  ])('with %j is a usage error', async (args, stderr) => {
    const ran = await as('admin', ['allowlist', 'disqualify', uid, '--yes', ...args]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(stderr);
  });
});

describe('the table', () => {
  const signed = (more: Partial<VerdictRecord> = {}) =>
    withId(
      { author: 'local:zed', arn: 'local:zed', uid: '9', verdict: 'looked-at', after: [], ...more } as VerdictRecord,
      Date.now(),
    );

  test('finds an item that was changed after it was written, and does not count it', async () => {
    const record = signed({ text: 'as written', sample: { seed: 'a', size: 2, failures: 1 } });
    await store.append(record);
    expect((await store.read()).records).toContainEqual(record);
    const put = (Item: VerdictRecord) => data.db.send(new PutCommand({ TableName: data.names.reviews, Item }));
    await put({ ...record, text: 'changed' });
    const { records, setAside } = await store.read();
    const why = 'it was changed after it was written';
    expect([setAside, records.filter(({ id }) => id === record.id)]).toEqual([
      [{ author: 'local:zed', id: record.id, why }],
      [],
    ]);
    expect((await as('ann', ['reviews', 'list'])).stderr.replaceAll('\n', ' ')).toContain(
      `Set aside, so it does not count: the record ${record.id} of local:zed, because ${why}.`,
    );
    await store.append(record);
    expect((await store.read()).setAside).toHaveLength(1);
    await put(record);
  });

  test('an id covers the time and every attribute, in any order of attributes', () => {
    const record = signed({ sample: { seed: 'a', size: 2, failures: 1 } });
    const { id, sample, ...rest } = record;
    expect(isIntact({ sample: { failures: 1, seed: 'a', size: 2 }, id, ...rest } as VerdictRecord)).toBe(true);
    for (const change of [
      { uid: '8' },
      { author: 'local:x' },
      { sample: { seed: 'a', size: 2, failures: 0 } },
      { id: id.replace(/^\d{13}/, String(timeOf(record) + 1)) },
      { text: 'added' },
    ]) {
      expect(isIntact({ ...record, ...change })).toBe(false);
    }
  });

  // biome-ignore format: one case a line
  test.each<[string, Fault, Partial<Ran>, number, number]>([
    ['whose answer was lost is there once', 'lose the answer', { exitCode: 0 }, 2, 1],
    ['that the table does not take is an error', { status: 400, body: '{"__type":"AccessDeniedException","message":"no"}' },
      { exitCode: 3, stdout: '' }, 1, 0],
  ])('a verdict %s', async (_name, plan, expected, puts, records) => {
    const proxy = await data.faulty();
    proxy.planWrites(plan);
    const team = await newTeam();
    const env = { AILOG_REVIEWER: 'ann', DYNAMODB_ENDPOINT: proxy.url };
    expect(await as('ann', ['reviews', 'add', team, 'looked-at'], { env })).toMatchObject(expected);
    const targets = proxy.seen().map(({ headers }) => String(headers['x-amz-target']));
    expect(targets.filter((target) => target.endsWith('PutItem'))).toHaveLength(puts);
    expect(await recordsOf(team)).toHaveLength(records);
  });

  test('two reviewers who give verdicts at the same time lose none', async () => {
    const team = await newTeam();
    const rounds = Array.from({ length: 5 }, (_, round) => ['--text', `round ${round}`, '--json']);
    const given = ['ann', 'bob'].flatMap((reviewer) => rounds.map((args) => add(reviewer, team, 'looked-at', ...args)));
    const printed: VerdictRecord[] = (await Promise.all(given)).map(({ stdout }) => JSON.parse(stdout));
    expect((await recordsOf(team)).map(({ id }) => id)).toEqual(printed.map(({ id }) => id).sort());
  });
});

test('the report has what stands about each team, in every format, and fits 80 columns', async () => {
  const team = await newTeam();
  await add('ann', team, 'explained', '--reason', 'late');
  await add('bob', team, 'ask-team', '--reason', 'late');
  await as('ann', ['data', 'sync']);
  const report = async (...args: string[]) => (await as('ann', ['report', '--no-sync', '--uid', team, ...args])).stdout;
  const rows = (await report()).split('\n');
  expect(rows[1]).toMatch(new RegExp(`^${team} +– `));
  expect(rows[2]).toMatch(/^ +verdicts: explained 1,/);
  expect(rows[3]).toMatch(/^ +ask-team 1$/);
  expect(await report('--wide')).toMatch(/^uid +look at +verdicts .*\n\d+ +– +explained 1, ask-team 1 /);
  expect(JSON.parse(await report('--json')).teams).toMatchObject([{ uid: team, verdicts: 'explained 1, ask-team 1' }]);
  expect(parse(await report('--csv'), { columns: true })).toMatchObject([{ verdicts: 'explained 1, ask-team 1' }]);
  expect(JSON.parse((await as('eve', ['report', '--no-sync', '--uid', team, '--json'])).stdout).teams).toMatchObject([
    { verdicts: '2 not shown' },
  ]);
  const other = await newTeam();
  const whole = JSON.parse((await as('ann', ['report', '--no-sync', '--json'])).stdout).teams;
  expect(whole.find((one: { uid: string }) => one.uid === other)).toMatchObject({ verdicts: null });
});

test.each([
  ['AccessDeniedException', 0, 'Without the verdicts of reviewers: the table Reviews cannot be read (AccessDenied'],
  ['ValidationException', 3, 'ValidationException'],
])('a table Reviews that answers %s: exit code %i', async (name, exitCode, said) => {
  const team = await newTeam();
  const proxy = await data.faulty();
  const fault = { status: 400, body: JSON.stringify({ __type: name, message: 'no' }) };
  proxy.plan('pass', ...Array.from({ length: 9 }, () => fault));
  const ran = await data.ailog(['allowlist', 'show', team], { env: { DYNAMODB_ENDPOINT: proxy.url } });
  expect(ran).toMatchObject({ exitCode, stderr: expect.stringContaining(said) });
});

test('the report runs beside a table that does not exist yet, and says so', async () => {
  const fixture = data;
  await fixture.db.send(new DeleteTableCommand({ TableName: fixture.names.reviews }));
  const said = 'Without the verdicts of reviewers: the table Reviews cannot be read (ResourceNotFoundException).';
  expect(await as('ann', ['report'])).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(said) });
  expect(await as('ann', ['reviews', 'list'])).toMatchObject({ exitCode: 3 });
  await createTables(fixture.db, fixture.names);
});
