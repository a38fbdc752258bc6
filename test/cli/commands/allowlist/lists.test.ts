import { parse } from 'csv-parse/sync';
import { afterAll, expect, test } from 'vitest';
import { openLocalData } from '../../../setup/commandLine.ts';
import { uploadAt } from '../logs/entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const KEYS = [
  { uid: '7001', label: 'Bot one', expiresAt: '2099-01-31T00:00:00.000Z' },
  { uid: '7001', label: 'spare', status: 'revoked' },
  { uid: '7002', label: 'Bot two' },
] as const;

const local = await openLocalData();
await local.fixture.allowlist.put({ uid: '7001', status: 'approved', team: '=Alpha, first' });
await local.fixture.allowlist.put({ uid: '7002', status: 'suspended', team: 'Beta', note: 'late', reason: 'leak' });
await local.fixture.allowlist.put({ uid: '7003', status: 'removed', team: 'Gamma' });
const teams = await Promise.all(KEYS.map(({ uid, ...rest }) => local.fixture.issue(uid, rest)));
for (const minutes of [0, 90, 5]) await uploadAt(local.fixture, teams[0] as never, T0 + minutes * 60_000);
afterAll(() => local.engine.stop());

test('the status of each team has its usable keys, its first and last upload, and the number of its receipts', async () => {
  const { stdout, stderr } = await local.ailog(['allowlist', 'status']);
  expect(stdout).toBe(`uid   team           status     keys  first                 last                  receipts
7001  =Alpha, first  approved      1  2025-11-14T09:00:00Z  2025-11-14T10:30:00Z         3
7002  Beta           suspended     1                                                     0
`);
  expect(stderr).toMatch(/^receipts: the entries of the team, /);
  const [first, second] = JSON.parse((await local.ailog(['allowlist', 'status', '--json'])).stdout);
  expect(first).toMatchObject({ uid: '7001', keys: 1, last: '2025-11-14T10:30:00.000Z', receipts: 3 });
  expect(second).toEqual({ uid: '7002', team: 'Beta', status: 'suspended', keys: 1, receipts: 0 });
  expect(parse((await local.ailog(['allowlist', 'status', '--csv'])).stdout)).toEqual([
    ['uid', 'team', 'status', 'keys', 'first', 'last', 'receipts'],
    ['7001', "'=Alpha, first", 'approved', '1', '2025-11-14T09:00:00.000Z', '2025-11-14T10:30:00.000Z', '3'],
    ['7002', 'Beta', 'suspended', '1', '', '', '0'],
  ]);
});

test('allowlist list as CSV has reason and note; a team is found by a part of its name', async () => {
  const { stdout } = await local.ailog(['allowlist', 'list', '--team', 'BET', '--csv']);
  expect(stdout).toMatch(/^uid,status,team,note,reason,updatedAt,updatedBy\n7002,suspended,Beta,late,leak,.*\n$/);
  expect(await local.ailog(['allowlist', 'list', '--team', 'zzz'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'No team matches.\n',
  });
});

test.each([
  ['a status', ['--status', 'revoked'], ['spare']],
  ['a label, by a part', ['--label', 'bot'], ['Bot one', 'Bot two']],
  ['a team, by a part', ['--team', 'alpha', '--status', 'active'], ['Bot one']],
  ['an expiry', ['--expires-before', '2100-01-01'], ['Bot one']],
  ['an earlier expiry', ['--expires-before', '2099-01-31'], []],
])('keys list selects %s', async (_name, args, labels) => {
  const { stdout, stderr } = await local.ailog(['keys', 'list', '--csv', ...args]);
  const [heads, ...rows] = parse(stdout);
  expect(rows.map((row) => row[heads?.indexOf('label') ?? -1])).toEqual(labels);
  expect(stderr).toBe('');
  const table = await local.ailog(['keys', 'list', ...args]);
  expect(table.stderr).toBe(labels.length > 0 ? '' : 'No key matches.\n');
});
