import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../../functions/auth/signature.ts';
import { type LocalData, openLocalData } from '../../setup/commandLine.ts';
import type { Team } from '../../setup/fixture.ts';
import { inProcess } from '../../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../../setup/upload.ts';
import { uploadAt } from './entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const HOUR = 3_600_000;
const BIG = 590480926522704171n;

let local: LocalData;
beforeAll(async () => {
  local = await openLocalData();
});
afterAll(() => local.engine.stop());

const logs = (...args: string[]) => local.ailog(['logs', ...args]);

describe('ailog logs list', () => {
  let alpha: Team;
  let beta: Team;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    [alpha, beta] = [await local.fixture.team(), await local.fixture.team()];
    const upload = async (name: string, team: Team, at: number, log: Record<string, unknown>) => {
      ids[name] = await uploadAt(local.fixture, team, at, log);
    };
    await upload('a0', alpha, T0, { orderId: 9223372036854775807n, stage: 'S1', model: 'M-1' });
    await upload('b0', beta, T0 + 1, { orderId: BIG, stage: 'S2', model: 'M-1' });
    await upload('a1', alpha, T0 + HOUR, { orderId: BIG, stage: 'S2', model: 'M-2' });
    await upload('b1', beta, T0 + 24 * HOUR, { orderId: null, stage: 'S1', model: 'M-2' });
  });
  const nameOf = (entryId: string) => Object.keys(ids).find((name) => ids[name] === entryId);

  // biome-ignore format: one case a line
  test.each<[string, () => string[], string[]]>([
    ['all teams, the newest first', () => [], ['b1', 'a1', 'b0', 'a0']],
    ['the newest of all', () => ['--limit', '3'], ['b1', 'a1', 'b0']],
    ['one team', () => ['--uid', alpha.uid], ['a1', 'a0']],
    ['the newest of one team', () => ['--uid', alpha.uid, '--limit', '1'], ['a1']],
    ['an order of any team', () => ['--order', String(BIG)], ['a1', 'b0']],
    ['an order of one team', () => ['--order', String(BIG), '--uid', beta.uid], ['b0']],
    ['an order since a time', () => ['--order', String(BIG), '--since', '2025-11-14T09:30:00Z'], ['a1']],
    ['an order until a time', () => ['--order', String(BIG), '--until', '2025-11-14T09:30:00Z'], ['b0']],
    ['an order with a model', () => ['--order', String(BIG), '--model', 'M-1'], ['b0']],
    ['the largest order id', () => ['--order', '9223372036854775807'], ['a0']],
    ['a neighbour of an order', () => ['--order', String(BIG - 1n)], []],
    ['a day', () => ['--since', '2025-11-14', '--until', '2025-11-15'], ['a1', 'b0', 'a0']],
    ['since a time, inclusive', () => ['--since', '2025-11-14T10:00:00Z'], ['b1', 'a1']],
    ['until a time, exclusive', () => ['--until', '2025-11-14T10:00:00Z', '--uid', alpha.uid], ['a0']],
    ['between two times, of one team', () => ['--since', '2025-11-14T09:00:00Z', '--until', '2025-11-14T10:00Z', '--uid', alpha.uid], ['a0']],
    ['with an offset', () => ['--since', '2025-11-14T12:00:00+02:00'], ['b1', 'a1']],
    ['a stage', () => ['--stage', 'S1'], ['b1', 'a0']],
    ['a stage and a model', () => ['--stage', 'S1', '--model', 'M-2'], ['b1']],
    ['a stage in another case', () => ['--stage', 's1'], []],
  ])('%s', async (_name, args, wanted) => {
    const { stdout } = await logs('list', '--json', ...args());
    expect(JSON.parse(stdout).map(({ entryId }: { entryId: string }) => nameOf(entryId))).toEqual(wanted);
  });

  test('prints a table with every digit of the order id', async () => {
    expect(await logs('list', '--uid', alpha.uid)).toEqual({
      exitCode: 0,
      stdout: `uid${' '.repeat(alpha.uid.length - 1)}entry                                           signed                order                stage  model  bytes
${alpha.uid}  ${ids.a1}  2025-11-14T10:00:00Z  590480926522704171   S2     M-2      260
${alpha.uid}  ${ids.a0}  2025-11-14T09:00:00Z  9223372036854775807  S1     M-1      261
`,
      stderr: '',
    });
  });

  // biome-ignore format: one case a line
  test.each([
    ['no match', ['--uid', '404'], 0, 'No entry matches.\n'],
    ['a date that does not exist', ['--since', '2025-02-30'], 2, /'2025-02-30' is invalid\. A date is a day in UTC, such as 2025-11-14, or a time/],
    ['a date in words', ['--until', 'yesterday'], 2, /A date is a day/],
    ['--since after --until', ['--since', '2025-11-15', '--until', '2025-11-14'], 2, '--since must be before --until, which is exclusive.\n'],
    ['an order id that is too large', ['--order', '9223372036854775808'], 2, /An order id is an integer from 1 to 9223372036854775807\./],
    ['order id 0', ['--order', '0'], 2, /An order id is an integer from 1/],
    ['limit 0', ['--limit', '0'], 2, /It must be a whole number of at least 1\./],
  ])('%s', async (_name, args, exitCode, stderr) => {
    const ran = await logs('list', ...args);
    expect(ran).toEqual({ exitCode, stdout: '', stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr) });
  });
});

describe('ailog logs show', () => {
  const TEXT = `{"orderId":${BIG},"stage":"\\u001b[31mred","model":"M-1","input":{"n":[1.10,1e400,590480926522704171]},"output":{},"explanation":"x\\u009b\u202e"}`;

  test('shows facts, checks and body with every digit, and escapes control characters', async () => {
    const team = await local.fixture.team();
    const id = await uploadAt(local.fixture, team, T0, TEXT);
    const [entry] = await local.fixture.entriesOf(team.uid);
    const { stdout, stderr, exitCode } = await logs('show', id);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`uid             ${team.uid}
entryId         ${id}
receivedAt      2025-11-14T09:00:00.000Z
orderId         ${BIG}
stage           \\u001b[31mred
model           M-1
explanation     x\\u009b\\u202e
bodySha256      ${createHash('sha256').update(TEXT).digest('hex')}
bodyBytes       ${Buffer.byteLength(TEXT)}
accessKey       ${team.accessKey}
timestamp       ${T0}
signature       ${entry?.signature}
locale          en-US
sourceIp        192.0.2.1
digest check    ok
fields check    ok
signature check ok

{
  "orderId": 590480926522704171,
  "stage": "\\u001b[31mred",
  "model": "M-1",
  "input": {
    "n": [
      1.10,
      1e400,
      590480926522704171
    ]
  },
  "output": {},
  "explanation": "x\\u009b\\u202e"
}
`);
  });

  test('--json contains the signed body', async () => {
    const team = await local.fixture.team();
    const id = await uploadAt(local.fixture, team, T0, ` ${TEXT}\n`);
    const shown = JSON.parse((await logs('show', id, '--uid', team.uid, '--json')).stdout);
    expect(shown).toMatchObject({ uid: team.uid, entryId: id, orderId: String(BIG), body: ` ${TEXT}\n` });
    expect(shown.checks).toEqual({ digest: 'ok', fields: 'ok', signature: 'ok' });
  });

  test.each([
    ['an entry that does not exist', [`${T0}-${'0'.repeat(32)}`], 1, `There is no entry ${T0}-${'0'.repeat(32)}.\n`],
    ['an entry of another team', [`${T0}-${'0'.repeat(32)}`, '--uid', '5'], 1, 'of UID 5.\n'],
    ['an invalid entry id', ['latest'], 2, 'An entry id is 13 digits, a hyphen and 32 hex digits'],
  ])('%s', async (_name, args, exitCode, stderr) => {
    expect(await logs('show', ...args)).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(stderr) });
  });
});

describe('ailog logs verify', () => {
  const change = (team: Team, entryId: string, name: string, value: unknown) =>
    local.fixture.db.send(
      new UpdateCommand({
        TableName: local.fixture.names.aiLogs,
        Key: { uid: team.uid, entryId },
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  const keyOf = async ({ accessKey }: Team) => {
    const key = await local.fixture.apiKeys.get(accessKey, AbortSignal.timeout(5000));
    if (!key) throw new Error('no key');
    return key;
  };
  const forged = jsonOf({ ...aiLog, explanation: 'forged' });
  const body = zstdCompressSync(Buffer.from(forged));
  const bodySha256 = createHash('sha256').update(forged).digest('hex');

  // biome-ignore format: one case a line
  const cases: [name: string, tamper: (team: Team, entryId: string) => Promise<unknown>, verdict: string][] = [
    ['an unchanged entry', async () => {}, 'digest ok, fields ok, signature ok'],
    ['another body', (team, id) => change(team, id, 'body', body), 'digest wrong: bodySha256, bodyBytes, fields wrong: explanation, signature wrong: not signed with this key'],
    ['another body with its digest', async (team, id) => {
      await change(team, id, 'body', body);
      await change(team, id, 'bodySha256', bodySha256);
      await change(team, id, 'bodyBytes', Buffer.byteLength(forged));
      await change(team, id, 'explanation', 'forged');
    }, 'digest ok, fields ok, signature wrong: not signed with this key'],
    ['another body, signed with another secret', async (team, id) => {
      await change(team, id, 'body', body);
      await change(team, id, 'signature', sign('x', { timestamp: String(T0), query: '', body: Buffer.from(forged) }));
    }, 'digest wrong: bodySha256, bodyBytes, entryId, fields wrong: explanation, signature wrong: not signed with this key'],
    ['a body that cannot be decompressed', (team, id) => change(team, id, 'body', Buffer.from('no zstd')), 'digest wrong: the body is damaged, fields not checked: the body is damaged, signature not checked: the body is damaged'],
    ['a body that is not a log', (team, id) => change(team, id, 'body', zstdCompressSync(Buffer.from('[]'))), 'digest wrong: bodySha256, bodyBytes, fields wrong: the body is not an AI log, signature wrong: not signed with this key'],
    ['another order', (team, id) => change(team, id, 'orderId', BIG + 1n), 'digest ok, fields wrong: orderId, signature ok'],
    ['another model', (team, id) => change(team, id, 'model', 'GPT-6'), 'digest ok, fields wrong: model, signature ok'],
    ['another time', (team, id) => change(team, id, 'timestamp', String(T0 + 1)), 'digest wrong: entryId, fields ok, signature wrong: not signed with this key'],
    ['a query that was not signed', (team, id) => change(team, id, 'query', 'a=b'), 'digest ok, fields ok, signature wrong: not signed with this key'],
    ['a key that is revoked', async (team) => local.ailog(['keys', 'revoke', team.accessKey, '--yes']), 'digest ok, fields ok, signature ok'],
    ['a key that was rotated since', async (team) => local.ailog(['keys', 'rotate', team.accessKey, '--grace', '0', '--yes']), 'digest ok, fields ok, signature ok'],
    ['a key that was rotated twice since', async (team) => {
      await local.ailog(['keys', 'rotate', team.accessKey, '--yes']);
      await local.ailog(['keys', 'rotate', team.accessKey, '--yes']);
    }, 'digest ok, fields ok, signature not checked: the key was rotated since'],
    ['a key that no longer exists', (team, id) => change(team, id, 'accessKey', 'ailog_gone'), 'digest wrong: entryId, fields ok, signature not checked: the key is gone'],
    ['a key that was given to another UID', async (team) => local.fixture.apiKeys.put({ ...(await keyOf(team)), uid: '9' }), 'digest ok, fields ok, signature wrong: the key belongs to UID 9'],
    ['a key whose credentials cannot be decrypted', async (team) => local.fixture.apiKeys.put({ ...(await keyOf(team)), credentials: Buffer.alloc(64) }), 'digest ok, fields ok, signature not checked: the key\'s credentials cannot be decrypted (Error)'],
  ];

  test.each(cases)('%s', async (_name, tamper, verdict) => {
    const team = await local.fixture.team();
    const id = await uploadAt(local.fixture, team, T0);
    await tamper(team, id);
    const failed = verdict.includes('wrong');
    const ran = await logs('verify', '--uid', team.uid);
    expect(ran.stdout).toBe(`${failed ? 'FAILED' : 'ok    '}  ${team.uid}  ${id}  ${verdict}\n`);
    expect(ran.exitCode).toBe(failed ? 1 : 0);
    const unchecked = verdict.includes('signature not') ? '; signature not checked: 1' : '';
    expect(ran.stderr).toBe(`Checked: 1, failed: ${failed ? 1 : 0}${unchecked}.\n`);
    expect((await logs('show', id, '--uid', team.uid)).exitCode).toBe(failed ? 1 : 0);
  });

  test('the signature of a query is verified', async () => {
    const { fixture } = local;
    const team = await fixture.team();
    await inProcess(fixture.dependencies()).send(signedUpload(team, { query: 'trace=1' }));
    expect((await logs('verify', '--uid', team.uid)).stdout).toContain('signature ok');
  });

  test('--json prints an array of all entries, even if there are none', async () => {
    const team = await local.fixture.team();
    expect(JSON.parse((await logs('verify', '--uid', team.uid, '--json')).stdout)).toEqual([]);
    const id = await uploadAt(local.fixture, team, T0);
    await local.fixture.db.send(
      new PutCommand({
        TableName: local.fixture.names.aiLogs,
        Item: { ...(await local.fixture.entriesOf(team.uid))[0], entryId: `${T0 + 1}-x` },
      }),
    );
    const { stdout, exitCode } = await logs('verify', '--uid', team.uid, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      { uid: team.uid, entryId: id, ok: true, checks: { digest: 'ok', fields: 'ok', signature: 'ok' } },
      {
        uid: team.uid,
        entryId: `${T0 + 1}-x`,
        ok: false,
        checks: { digest: 'wrong: entryId', fields: 'ok', signature: 'ok' },
      },
    ]);
  });
});
