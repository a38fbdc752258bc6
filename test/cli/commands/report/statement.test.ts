import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import type { Findings } from '../../../../cli/proof/evidence/evidence.ts';
import type { StatementEntry, StatementHeader } from '../../../../cli/proof/evidence/statement.ts';
import { verifyStatement } from '../../../../cli/proof/evidence/verifyStatement.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey, verifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import type { Team } from '../../../setup/fixture.ts';
import { notes, says } from '../../../setup/outcome.ts';
import { oldTeam, tamper } from '../logs/entries.ts';
import { verifyElsewhere } from '../tlog/evidenceFixture.ts';
import { openLoggedData } from '../tlog/loggedData.ts';

const data = await openLoggedData();
afterAll(() => data.engine.stop());
const other = await oldTeam(data.fixture);
for (let entry = 0; entry < 4; entry += 1) {
  await data.upload({ stage: `entry ${entry}` });
  await data.upload({ stage: `of another team ${entry}` }, other);
}
await data.sequence();

const read = (file: string) => readFileSync(join(data.folder, file), 'utf8');
/** Returns the lines of a statement, without line feeds. */
const linesIn = (file: string) => read(file).split('\n').slice(0, -1);
const state = (file: string, ...more: string[]) =>
  data.ailog(['statement', '--uid', data.team.uid, '-o', file, ...more]);
/** Writes a statement of a team. @returns its lines */
async function linesOf({ uid }: Team, file: string) {
  await data.ailog(['statement', '--uid', uid, '-o', file]);
  return linesIn(file);
}
const lines = await linesOf(data.team, 'valid');
const policyText = (await data.ailog(['tlog', 'export-policy'])).stdout;
const policy = parsePolicy(policyText);
data.file('tlog.policy', policyText);
async function verify(changed: readonly string[]): Promise<Findings[]> {
  const files = { 'changed.statement': changed.map((line) => `${line}\n`).join(''), 'tlog.policy': policyText };
  await verifyElsewhere(files, ['changed.statement']);
  return Array.fromAsync(verifyStatement(changed, policy));
}
/** Returns everything that is wrong with a statement, as lines. */
const wrongIn = async (changed: readonly string[]) => (await verify(changed)).flatMap(({ wrong }) => wrong).join('\n');
const headerOf = ([line]: readonly string[]) => JSON.parse(line as string) as StatementHeader;
const entryOf = (line = '') => JSON.parse(line) as StatementEntry;

/** Returns lines with a last line that fits them, as somebody writes it who changes a statement with care. */
const sealed = (changed: readonly string[]): string[] => {
  const before = changed.slice(0, -1);
  const sha256 = createHash('sha256')
    .update(before.map((line) => `${line}\n`).join(''))
    .digest('hex');
  return [...before, JSON.stringify({ end: true, entries: before.length - 1, sha256 })];
};
/** Returns the valid statement with attributes of a line changed. */
const withChange = (index: number, change: object): string[] =>
  lines.map((line, at) => (at === index ? JSON.stringify({ ...JSON.parse(line), ...change }) : line));

describe('a statement', () => {
  test('holds every entry of the team with body and proof, and nothing of others', async () => {
    const stored = await data.fixture.entriesOf(data.team.uid);
    const entries = lines.slice(1, -1).map(entryOf);
    expect(entries.map(({ entryId }) => entryId)).toEqual(stored.map(({ entryId }) => entryId));
    expect(entries.every(({ uid, status, proof }) => uid === data.team.uid && status === 'logged' && proof)).toBe(true);
    expect(JSON.parse(entries[0]?.body as string)).toMatchObject({ stage: 'entry 0' });
    expect(Object.keys(headerOf(lines)).join()).toBe('format,uid,origin,since,until,generatedAt,policy,checkpoint');
    expect(headerOf(lines)).toMatchObject({ uid: data.team.uid, since: null });
  });

  test('verifies offline, entry by entry and as a whole', async () => {
    const findings = await verify(lines);
    expect(findings.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(findings).toHaveLength(5);
    expect(findings[0]?.proven.join()).toMatch(/^the entry is in the log of localhost\/ailog, at index \d+$/);
    expect(findings[0]?.notProven).toEqual([]);
    expect(findings.at(-1)?.facts).toMatchObject({ uid: data.team.uid });
  });

  test('verifies with ailog verify, which names the entry that was changed', async () => {
    expect(await data.ailog(['verify', 'valid', '--verbose'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/proven +the entry is in the log of localhost/),
      stderr: expect.stringContaining('Checked: 4, failed: 0.'),
    });
    data.file('cheated', `${sealed(withChange(2, { locale: 'fr' })).join('\n')}\n`);
    const { exitCode, stdout, stderr } = await data.ailog(['verify', 'cheated', '--json']);
    const found: { line?: number; ok: boolean; entryId?: string }[] = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(found.filter(({ ok }) => !ok)).toMatchObject([{ line: 3, entryId: entryOf(lines[2]).entryId }]);
    expect(stderr).toContain('Checked: 4, failed: 1.');
    data.file('cut', `${lines.slice(0, -1).join('\n')}\n`);
    expect(await data.ailog(['verify', 'cut'])).toMatchObject(notes(1, 'Checked: 4, failed: 0, failed as a whole: 1.'));
  });

  test('of a period has the entries of the period', async () => {
    const ids = lines.slice(1, -1).map((line) => entryOf(line));
    const [since, until] = [ids[1], ids[3]].map((entry) => new Date(Number(entry?.timestamp)).toISOString());
    await state('period', '--since', since as string, '--until', until as string);
    const period = linesIn('period');
    expect(period.slice(1, -1).map((line) => entryOf(line).entryId)).toEqual([ids[1]?.entryId, ids[2]?.entryId]);
    expect(await wrongIn(period)).toBe('');
    expect((await verify(period)).at(-1)?.facts.period).toBe(`${since} to ${until}`);
  });

  test('is counted: how many entries it has, from when to when, those with an order, and their models', async () => {
    const team = await oldTeam(data.fixture);
    const models = ['b', 'Ａ', '😀', 'a', 'b', 'b', 'Ａ', '😀'];
    const others = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', `c7 ${'x'.repeat(300)}`, 'c8"\u202e, "b" 9'];
    for (const model of [...models, ...others]) {
      await data.upload({ model, orderId: model === 'b' ? 5 : undefined }, team);
    }
    await data.sequence();
    const stated = await linesOf(team, 'counted');
    const times = stated.slice(1, -1).map((line) => new Date(Number(entryOf(line).timestamp)).toISOString());
    const whole = (await verify(stated)).at(-1);
    expect(whole?.facts.period).toBe('the first entry to the last');
    const counts = { entries: 16, first: times[0], last: times[15], withOrder: 3, otherModels: 2 };
    expect(whole?.counted).toMatchObject(counts);
    expect(whole?.counted?.models.map(({ model, entries }) => `${entries} ${model}`).join()).toBe(
      '3 b,2 😀,2 Ａ,1 a,1 c1,1 c2,1 c3,1 c4,1 c5,1 c6',
    );
    // In another place, a long model is cut, and one with quotes and hidden characters looks like one.
    const few = sealed([stated[0] as string, ...stated.slice(15, 17), 'end']);
    data.file('few', `${few.join('\n')}\n`);
    const shown = (await data.ailog(['verify', 'few'])).stdout;
    expect(shown.slice(shown.indexOf('  counted'), shown.indexOf('  proven'))).toBe(
      [
        '  counted     from these entries, and compared with nothing: 2',
        `  signed      from ${times[14]} to ${times[15]}`,
        '  with order  0',
        `  models      "c7 ${'x'.repeat(57)}"… 1, "c8\\"\\u202e, \\"b\\" 9" 1`,
        '',
      ].join('\n'),
    );
  });

  test('of a later revision is not judged: it proves nothing, and nothing in it is wrong', async () => {
    const [first = '', ...rest] = lines;
    const later = first.replace('ai-log-statement/v1', 'ai-log-statement/v2');
    const [findings, ...more] = await verify(sealed([later, ...rest]));
    expect([more, findings?.proven, findings?.wrong]).toEqual([[], [], []]);
    expect(findings?.notProven).toEqual([
      'anything: this is an ai-log-statement/v2, and this revision of ailog verifies ai-log-statement/v1 only',
    ]);
    data.file('later', `${later}\n`);
    expect((await data.ailog(['verify', 'later'])).exitCode).toBe(5);
  });

  test.each([
    ['of a team without entries', [], 'has no entries to make a statement of.'],
    ['of a period without entries', ['--since', '2001-01-01', '--until', '2001-01-02'], 'in this period'],
  ])('%s is not written', async (_name, options, message) => {
    const { uid } = options.length === 0 ? await oldTeam(data.fixture) : data.team;
    const ran = await data.ailog(['statement', '--uid', uid, '-o', 'quiet', ...options]);
    expect(ran).toMatchObject(says(1, expect.stringContaining(message)));
    expect(existsSync(join(data.folder, 'quiet'))).toBe(false);
  });

  test('has no proof without a policy that trusts the log', async () => {
    const strange = verifierKey('localhost/ailog', new Uint8Array(32).fill(7));
    const strangers = parsePolicy(`log ${formatVerifierKey(strange)}\nquorum none\n`);
    const findings = await Array.fromAsync(verifyStatement(lines, strangers));
    expect(findings.at(-1)?.wrong).toContain('No trusted key of the log localhost/ailog signed the checkpoint');
    expect(findings[0]?.proven).toEqual([]);
  });

  test.each(['there', 'there.part'])('does not overwrite %s', async (file) => {
    writeFileSync(join(data.folder, file), 'mine');
    expect(await state('there')).toMatchObject(notes(2, 'already exist'));
    expect(read(file)).toBe('mine');
  });
});

describe('a changed statement is noticed', () => {
  // biome-ignore format: one case a line
  test.each<[name: keyof StatementHeader, value: unknown, wrong: RegExp]>([
    ['format', 'ai-log-statement/1', /wrong format/],
    ['uid', '77', /The entry is of UID \d+, and the statement of UID 77/],
    ['origin', 'example.com/log', /about the log example\.com\/log, and its checkpoint about localhost\/ailog/],
    ['since', '2100-01-01T00:00:00.000Z', /outside the period/],
    ['until', '2001-01-01T00:00:00.000Z', /outside the period/],
    ['generatedAt', 'now', /wrong generatedAt: "now"/],
    ['checkpoint', 'none', /A note has/],
  ])('in the %s of its first line, even with a new last line', async (name, value, wrong) => {
    expect(await wrongIn(sealed(withChange(0, { [name]: value })))).toMatch(wrong);
  });

  // biome-ignore format: one case a line
  test.each<[name: string, line: number, change: (line: string) => string]>([
    ['a space at the end of the first line', 0, (line) => `${line} `],
    ['a carriage return at the end of an entry', 2, (line) => `${line}\r`],
    ['a space in an entry', 2, (line) => line.replace(',', ', ')],
    ['a space at the end of the last line', -1, (line) => `${line} `],
    ['a name twice in the first line', 0, (line) => line.replace('"uid":', '"uid":"1","uid":')],
    ['a name twice in an entry', 2, (line) => line.replace('"stage":', '"stage":"x","stage":')],
    ['another order of names', 2, (line) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()))],
    ['an escape that nobody needs', 2, (line) => line.replace('"stage":"e', '"stage":"\\u0065')],
    ['another spelling of a number', 2, (line) => line.replace(/"bodyBytes":(\d+)/, '"bodyBytes":$1.0')],
  ])('in its spelling: %s, even with a new last line', async (_name, place, change) => {
    const at = place === -1 ? lines.length - 1 : place;
    const changed = lines.map((line, index) => (index === at ? change(line) : line));
    expect(changed[at]).not.toBe(lines[at]);
    expect(await wrongIn(place === -1 ? changed : sealed(changed))).toMatch(
      'is not written as ailog writes it',
    );
  });

  // biome-ignore format: one case a line
  test.each<[name: string, explanation: string, change: (text: string) => string | Buffer, wrong: string]>([
    ['its last line without a line feed', '', (text) => text.slice(0, -1), 'The last line does not end in a line feed'],
    ['a byte that is no text', '\ufffd', (text) => Buffer.from(Buffer.from(text).toString('latin1').replace('ï¿½', 'ÿ'), 'latin1'), 'The statement is not UTF-8'],
    ['half of a surrogate pair in a body', '\ufffd', (text) => `${sealed(text.trimEnd().replace(/(.*)\ufffd/s, '$1\\ud800').split('\n')).join('\n')}\n`, 'The line has a wrong body: '],
  ])('in its bytes: %s', async (_name, explanation, change, wrong) => {
    const team = await oldTeam(data.fixture);
    await data.upload({ explanation: `${explanation}!` }, team);
    await data.sequence();
    const file = `bytes of ${team.uid}`;
    await data.ailog(['statement', '--uid', team.uid, '-o', file]);
    expect(await data.ailog(['verify', file])).toMatchObject({ exitCode: 0 });
    const changed = change(read(file));
    expect(changed).not.toEqual(read(file));
    writeFileSync(join(data.folder, file), changed);
    const { exitCode, stdout } = await data.ailog(['verify', file]);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`  WRONG       ${wrong}`)]);
  });

  test('in an entry whose id is the end of the period, which is exclusive', async () => {
    const { timestamp } = entryOf(lines[2]);
    const [header = ''] = withChange(0, { until: new Date(Number(timestamp)).toISOString() });
    const [, , entry = ''] = withChange(2, { entryId: timestamp });
    expect(await wrongIn(sealed([header, entry, 'end']))).toMatch('outside the period');
  });

  test('in a model that is longer than any of the service, which is counted as long as those', async () => {
    const changed = sealed(withChange(2, { model: 'm'.repeat(300) }));
    const [, named] = (await verify(changed)).at(-1)?.counted?.models ?? [];
    expect(named).toEqual({ model: 'm'.repeat(256), entries: 1 });
  });

  test('by all entries that are gone, even with a new last line', async () => {
    expect(await wrongIn(sealed([lines[0] as string, lines.at(-1) as string]))).toBe(
      'The statement has no entries: it shows nothing about the team',
    );
  });

  test.each(['generatedAt', 'policy', 'since', 'until', 'uid'] as const)(
    'in the %s of its first line, by the digest in its last line',
    async (name) => {
      const value = { generatedAt: '2025-11-14T00:00:00.000Z', policy: 'quorum none\n', uid: '8' }[name as 'uid'];
      const change = { [name]: value ?? '2020-01-01T00:00:00.000Z' };
      expect(await wrongIn(withChange(0, change))).toContain('The file was changed since it was written');
    },
  );

  test.each(['log', '# receipts'])('in a policy of its own, which names another key: %s', async (kind) => {
    const strange = formatVerifierKey(verifierKey('localhost/ailog', new Uint8Array(32).fill(7)));
    const findings = await verify(sealed(withChange(0, { policy: `${kind} ${strange}\nquorum none\n` })));
    expect(findings.at(-1)?.notProven).toContainEqual(expect.stringContaining(strange));
  });

  test.each(['checkpoint', 'policy', 'generatedAt', 'uid'])('without the %s of its first line', async (name) => {
    const { [name as 'uid']: _removed, ...rest } = headerOf(lines);
    expect(await wrongIn(sealed(lines.map((line, at) => (at === 0 ? JSON.stringify(rest) : line))))).toMatch(
      `has no ${name}`,
    );
  });

  // biome-ignore format: one case a line
  test.each<[name: keyof StatementEntry, change: (entry: StatementEntry) => unknown, wrong: RegExp]>([
    ['uid', () => '77', /The entry is of UID 77/],
    ['entryId', ({ entryId }) => `${entryId.slice(0, -1)}${entryId.endsWith('0') ? 1 : 0}`, /do not follow from body and signature: entryId/],
    ['receivedAt', ({ receivedAt }) => new Date(Date.parse(receivedAt as string) - 1).toISOString(), /The proof does not show this entry/],
    ['orderId', () => '1', /Differs from the body: orderId/],
    ['stage', () => 'x', /Differs from the body: stage/],
    ['model', () => 'x', /Differs from the body: model/],
    ['explanation', () => 'x', /Differs from the body: explanation/],
    ['bodySha256', () => 'ab'.repeat(32), /do not follow from body and signature: bodySha256/],
    ['bodyBytes', ({ bodyBytes }) => (bodyBytes as number) + 1, /do not follow from body and signature: bodyBytes/],
    ['accessKey', () => 'ailog_x', /do not follow from body and signature: entryId/],
    ['timestamp', () => '1763103201300', /receivedAt is not within 30 s/],
    ['signature', () => 'x', /do not follow from body and signature: entryId/],
    ['query', () => 'a=1', /The proof does not show this entry/],
    ['locale', () => 'fr', /The proof does not show this entry/],
    ['sourceIp', () => '192.0.2.7', /The proof does not show this entry/],
    ['body', ({ body }) => body?.replace('entry', 'Entry'), /do not follow from body and signature: bodySha256/],
    ['body', () => null, /The stored body is damaged/],
    ['status', () => 'pending', /marked as pending, and has a proof/],
    ['status', () => 'fine', /wrong status: "fine"/],
    ['index', ({ index }) => (index as number) + 1, /The proof does not show this entry at index/],
    ['index', () => null, /is said to be in the log, and has no proof/],
    ['proof', ({ proof }) => proof?.slice(1), /The proof does not show/],
    ['proof', ({ proof }) => [...(proof ?? []), proof?.[0]], /The proof does not show/],
    ['proof', ({ proof }) => proof?.map(() => Buffer.alloc(32).toString('base64')), /The proof does not show/],
    ['proof', () => null, /has no proof/],
  ])('in the %s of an entry, even with a new last line', async (name, change, wrong) => {
    const found = await verify(sealed(withChange(2, { [name]: change(entryOf(lines[2])) })));
    expect(found[1]?.wrong.join('\n')).toMatch(wrong);
    expect(found[1]?.facts.line).toBe(3);
    // The other entries are as proven as before.
    expect([found[0], found[2], found[3]].flatMap((one) => one?.wrong)).toEqual([]);
  });

  test.each(['index', 'proof'])('in an entry that is made pending, by the %s that it still has', async (name) => {
    const { index, proof } = entryOf(lines[2]);
    const kept = { status: 'pending', index: null, proof: null, [name]: name === 'index' ? index : proof };
    expect(await wrongIn(sealed(withChange(2, kept)))).toContain('marked as pending, and has a proof');
  });

  test('in a time of receipt more than 30 s from the timestamp, to the millisecond', async () => {
    const signedAt = Number(entryOf(lines[2]).timestamp);
    for (const delay of [30_000, 30_001, -30_000, -30_001]) {
      const receivedAt = new Date(signedAt + delay).toISOString();
      const wrong = await wrongIn(sealed(withChange(2, { receivedAt })));
      expect(wrong.includes('receivedAt is not within 30 s'), `${delay}`).toBe(Math.abs(delay) > 30_000);
    }
  });

  test('in an entry that is made pending with care, by the time of the statement', async () => {
    const generatedAt = new Date(Date.parse(headerOf(lines).generatedAt) + 901_000).toISOString();
    const [late = ''] = withChange(0, { generatedAt });
    const pending = withChange(2, { status: 'pending', index: null, proof: null });
    expect(await wrongIn(sealed([late, ...pending.slice(1)]))).toMatch(/marked as pending, although/);
  });

  // biome-ignore format: one case a line
  test.each<[name: string, change: (value: string) => string]>([
    ['receivedAt', (value) => value.replace(/\.\d{3}Z/, 'Z')],
    ['receivedAt', (value) => value.replace('Z', '+00:00')],
    ['timestamp', (value) => `${value}0`],
    ['orderId', () => '1'.repeat(20)],
    ['orderId', () => '0'],
  ])('in the spelling of the %s of an entry', async (name, change) => {
    const value = String(entryOf(lines[2])[name as 'timestamp']);
    expect(await wrongIn(sealed(withChange(2, { [name]: change(value) })))).toMatch(`The line has a wrong ${name}: `);
  });

  test('in an attribute that is added or removed', async () => {
    expect(await wrongIn(sealed(withChange(2, { verdict: 'cheated' })))).toMatch(
      'The line has an attribute that ai-log-statement/v1 does not have: "verdict"',
    );
    expect(await wrongIn(sealed(withChange(0, { figures: {} })))).toMatch('does not have: "figures"');
    const { locale: _removed, ...rest } = entryOf(lines[2]);
    expect(await wrongIn(sealed(lines.map((line, at) => (at === 2 ? JSON.stringify(rest) : line))))).toMatch(
      'has no locale',
    );
  });

  test('by a line that is deleted, repeated, swapped or moved', async () => {
    const [head = '', one = '', two = '', three = '', four = '', end = ''] = lines;
    expect(await wrongIn([head, one, three, four, end])).toMatch(/The last line counts 4 entries; the file has 3/);
    // Only the team and the tables know that an entry is left out: docs/proof.md says so.
    expect(await wrongIn(sealed([head, one, three, four, end]))).toBe('');
    expect(await wrongIn(sealed([head, one, two, two, three, four, end]))).toMatch(
      'The entry is in the statement twice',
    );
    expect(await wrongIn(sealed([head, one, three, two, four, end]))).toMatch('The entry is not in order');
    const [, strange = ''] = await linesOf(other, 'other');
    expect(await wrongIn(sealed([head, one, two, three, four, strange, end]))).toMatch(`of UID ${other.uid}`);
    const moved = JSON.stringify({ ...entryOf(strange), uid: data.team.uid });
    expect(await wrongIn(sealed([head, one, two, three, four, moved, end]))).toMatch(
      /The proof does not show this entry/,
    );
  });

  test('by a file that is cut off or continued', async () => {
    expect(await wrongIn([])).toMatch('it is empty');
    expect(await wrongIn(lines.slice(0, 1))).toMatch('The statement is cut off');
    expect(await wrongIn(lines.slice(0, -1))).toMatch('The statement is cut off');
    expect(await wrongIn([...lines.slice(0, -1), lines.at(-1)?.slice(0, -1) as string])).toMatch(
      'The last line is not JSON',
    );
    expect(await wrongIn([...lines, lines[1] as string])).toMatch('Line 7 comes after the last line');
    expect(await wrongIn([...lines.slice(0, 3), '{"uid":', ...lines.slice(3)])).toMatch('The line is not JSON');
    expect(await wrongIn(['null', ...lines.slice(1)])).toMatch(
      'This is not a statement: The first line is not a JSON object',
    );
  });
});

describe('a statement of rows that were changed', () => {
  test('marks each, and the exit code is 1', async () => {
    const team = await oldTeam(data.fixture);
    const ids: string[] = [];
    for (let entry = 0; entry < 4; entry += 1) ids.push(await data.upload({ stage: `${entry}` }, team));
    const [edited = '', missing = '', whole = '', copied = ''] = ids;
    await tamper(data.fixture, { uid: team.uid, entryId: missing }, { slot: undefined, arrival: undefined });
    await data.sequence();
    const undo = await data.passed();
    await tamper(data.fixture, { uid: team.uid, entryId: edited }, { locale: 'fr' });
    await tamper(data.fixture, { uid: team.uid, entryId: copied }, { model: 'GPT-6' });
    const pending = await data.upload({ stage: 'late' }, team);

    const ran = await data.ailog(['statement', '--uid', team.uid, '-o', 'changed', '--json']);
    expect(ran.exitCode).toBe(1);
    const counts = { entries: 5, logged: 2, pending: 1, differs: 1, missing: 1 };
    expect(JSON.parse(ran.stdout)).toMatchObject(counts);
    const changed = linesIn('changed');
    const statuses = changed.slice(1, -1).map((line) => [entryOf(line).entryId, entryOf(line).status]);
    const wanted = { [edited]: 'differs', [missing]: 'missing', [whole]: 'logged', [copied]: 'logged' };
    expect(Object.fromEntries(statuses)).toEqual({ ...wanted, [pending]: 'pending' });
    const found = await verify(changed);
    expect(found.map(({ wrong }) => wrong)).toEqual([
      [expect.stringContaining('changed since it was stored')],
      [expect.stringContaining('missing in the log')],
      [],
      ['Differs from the body: model'],
      [],
      [],
    ]);
    expect(found[4]?.notProven).toEqual([expect.stringContaining('received shortly before')]);
    await undo();
  });

  test('leaves out a row without a time of signing, and the exit code is 1', async () => {
    const team = await oldTeam(data.fixture);
    const [whole, damaged] = [await data.upload({ stage: 'a' }, team), await data.upload({ stage: 'b' }, team)];
    await data.sequence();
    await tamper(data.fixture, { uid: team.uid, entryId: damaged }, { timestamp: undefined });
    const ran = await data.ailog(['statement', '--uid', team.uid, '-o', 'damaged']);
    const said =
      'Written to damaged. Entries: 1, in the transparency log: 1.\nLeft out, because they are damaged: 1. ailog logs verify says what is wrong with them.\n';
    expect(ran).toEqual(says(1, said));
    const written = linesIn('damaged');
    expect(entryOf(written[1] as string).entryId).toBe(whole);
    expect((await verify(written)).flatMap(({ wrong }) => wrong)).toEqual([]);
    const others = await data.ailog(['statement', '--uid', data.team.uid, '-o', 'others', '--json']);
    expect([others.exitCode, JSON.parse(others.stdout).damaged]).toEqual([0, 0]);
    await data.fixture.db.send(
      new DeleteCommand({ TableName: data.fixture.names.aiLogs, Key: { uid: team.uid, entryId: damaged } }),
    );
  });

  test('leaves no file behind if a tile does not match', async () => {
    const path = join(data.logFolder, `tile/0/000.p/${(await data.head()).size}`);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.alloc(bytes.length));
    const ran = await state('broken');
    writeFileSync(path, bytes);
    expect(ran).toMatchObject(notes(1, 'do not match the checkpoint'));
    expect(readdirSync(data.folder).filter((name) => name.startsWith('broken'))).toEqual([]);
  });
});

test('a body with an escape for every kind of character comes back byte for byte', async () => {
  const team = await oldTeam(data.fixture);
  await data.upload({ stage: 's\u2028\u202e\u0007', input: { a: '\ud83d\ude00' }, explanation: 'é' }, team);
  await data.sequence();
  expect(await wrongIn(await linesOf(team, 'characters'))).toBe('');
});

test('no choice of models makes an honest statement fail', async () => {
  const team = await oldTeam(data.fixture);
  // As UTF-16, "😀" sorts before "Ａ"; as UTF-8, as a database sorts, after it.
  const models = ['Ａ', '😀'].flatMap((start) => Array.from({ length: 60 }, (_, number) => `${start}${number}`));
  for (const model of models) await data.upload({ model }, team);
  await data.sequence();
  expect(await wrongIn(await linesOf(team, 'models'))).toBe('');
});
