import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { entriesReader } from '../../../../cli/store/entries/entriesReader.ts';
import { HOUR_MS, localWorld, NOW, stopClock } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const KEYS = [
  { uid: '7001', label: 'Bot one', expiresAt: '2099-01-31T00:00:00.000Z' },
  { uid: '7001', label: 'spare', status: 'revoked' },
  { uid: '7002', label: 'Bot two' },
] as const;

const local = await localWorld();
await local.allowlist.put({ uid: '7001', status: 'approved', team: '=Alpha, first' });
await local.allowlist.put({ uid: '7002', status: 'suspended', team: 'Beta', note: 'late', reason: 'leak' });
await local.allowlist.put({ uid: '7003', status: 'removed', team: 'Gamma' });
const teams = await Promise.all(KEYS.map(({ uid, ...rest }) => local.issue(uid, rest)));
for (const minutes of [0, 90, 5]) await local.uploadAt(teams[0] as never, T0 + minutes * 60_000);

describe('allowlist list --silent', () => {
  const list = async (...args: string[]) => local.ailog(['allowlist', 'list', ...args]);
  const json = async (...args: string[]) => JSON.parse((await list(...args, '--json')).stdout);

  test('has the usable keys of each team, its last upload and its silence since', async () => {
    stopClock(T0 + 5_400_000 + 50 * HOUR_MS + 7000);
    expect((await list('--silent', '10m')).stdout).toMatch(/^7001 .* 2025-11-14T10:30:00Z {2}2 d 2 h$/m);
    const [first, ...others] = await json('--silent', '10m');
    const last = '2025-11-14T10:30:00.000Z';
    expect(first).toMatchObject({ uid: '7001', keys: 1, last, silentSeconds: 50 * 3600 + 7 });
    expect(others).toEqual([]);
    expect(parse((await list('--silent', '10m', '--csv')).stdout)).toEqual([
      ['uid', 'team', 'keys', 'last', 'silentSeconds'],
      ['7001', "'=Alpha, first", '1', last, String(50 * 3600 + 7)],
    ]);
  });

  test('shows approved teams alone, those without an upload first', async () => {
    for (const uid of ['7005', '7004']) await local.allowlist.put({ uid, status: 'approved' });
    stopClock();
    await local.uploadAt(await local.issue('7004'), NOW);
    const uidsOf = async (...args: string[]) =>
      (await json('--silent', ...args)).map(({ uid }: { uid: string }) => uid);
    expect(await uidsOf('10m')).toEqual(['7005', '7001']);
    expect(await uidsOf('99999d')).toEqual(['7005']);
    expect(await uidsOf('10m', '--team', 'alpha')).toEqual(['7001']);
    for (const uid of ['7005', '7004']) await local.allowlist.put({ uid, status: 'removed' });
  });

  test('begins to show a team one millisecond after the time', async () => {
    stopClock();
    for (const count of [0, 1]) {
      vi.setSystemTime(T0 + 100 * 60_000 + count);
      expect(await json('--silent', '10m')).toHaveLength(count);
    }
  });

  test('reads one item for each team, however many entries it has', async () => {
    const { db, names } = local;
    const read: (number | undefined)[] = [];
    const send = async (command: QueryCommand) => {
      const answer = await db.send(command);
      read.push(answer.ScannedCount);
      return answer;
    };
    const newest = await entriesReader({ db: { send } as never, tables: names }).newestOf('7001');
    expect(newest).toEqual({
      uid: '7001',
      entryId: expect.stringMatching(/^1763116200000-/),
      receivedAt: T0 + 5_400_000,
    });
    expect(read).toEqual([1]);
  });
});

test.each([
  ['a status', ['--status', 'revoked'], ['spare']],
  ['a label, by a part', ['--label', 'bot'], ['Bot one', 'Bot two']],
  ['a team, by a part', ['--team', 'alpha', '--status', 'active'], ['Bot one']],
  ['an expiry', ['--expires-before', '2100-01-01'], ['Bot one']],
  ['an earlier expiry', ['--expires-before', '2099-01-31'], []],
])('keys list selects %s', async (_name, args, labels) => {
  const { stdout } = await local.ailog(['keys', 'list', '--csv', ...args]);
  const [heads, ...rows] = parse(stdout);
  expect(rows.map((row) => row[heads?.indexOf('label') ?? -1])).toEqual(labels);
});
