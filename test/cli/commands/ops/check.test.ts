import { describe, expect, test } from 'vitest';
import {
  type Health,
  judgeAlarms,
  judgeCanary,
  judgeErrors,
  judgeKeys,
  judgeLastUpload,
  judgeMail,
  judgeSettings,
  judgeStack,
} from '../../../../cli/store/targets/health.ts';
import type { ApiKey } from '../../../../functions/auth/apiKeys.ts';
import { readStage, textsOf } from '../../../../infra/readSettings.ts';
import { HOUR_MS, localWorld, type startAws, stopClock, world } from '../../../setup/world.ts';

const NOW = Date.parse('2025-11-14T12:00:00Z');

const alarm = (state: string) => ({ name: 'Latency', state, impact: 'Bots trade late.', since: new Date(NOW) });
const key = (expiresAt?: string, status = 'active') => ({ accessKey: 'k', uid: '7', status, expiresAt }) as ApiKey;
const keys = (...all: ApiKey[]) => judgeKeys(all, { now: NOW, within: 24 * HOUR_MS });
const last = (age: number) => judgeLastUpload({ uid: '7', receivedAt: NOW - age }, { now: NOW, quiet: HOUR_MS });

// biome-ignore format: one case a line
const cases: [name: string, find: () => Health | Health[], status: Health['status'], says: string][] = [
  ['a deployed stack', () => judgeStack('UPDATE_COMPLETE', new Date(NOW)), 'ok', 'UPDATE_COMPLETE, 2025-11-14T12:00:00Z'],
  ['a deployment in progress', () => judgeStack('UPDATE_IN_PROGRESS'), 'warning', 'UPDATE_IN_PROGRESS'],
  ['a cleanup in progress', () => judgeStack('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'), 'warning', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'],
  ['a rolled back stack', () => judgeStack('UPDATE_ROLLBACK_COMPLETE'), 'failing', 'UPDATE_ROLLBACK_COMPLETE'],
  ['a failed stack', () => judgeStack('CREATE_FAILED'), 'failing', 'CREATE_FAILED'],
  ['no alarm in alarm', () => judgeAlarms([alarm('OK'), alarm('OK')]), 'ok', 'none of 2 is in alarm'],
  ['alarms without data', () => judgeAlarms([alarm('OK'), alarm('INSUFFICIENT_DATA')]), 'ok', 'none of 2 is in alarm; 1 without data so far'],
  ['an alarm in alarm', () => judgeAlarms([alarm('OK'), alarm('ALARM')]), 'failing', 'Latency since 2025-11-14T12:00:00Z: Bots trade late.'],
  ['a stack without alarms', () => judgeAlarms([]), 'warning', 'the stack has no alarms'],
  ['no requests', () => judgeErrors({ accepted: 0, rejected: 0, serverErrors: 0 }), 'ok', 'no requests in the last hour'],
  ['few rejections', () => judgeErrors({ accepted: 99, rejected: 1, serverErrors: 0 }), 'ok', 'last hour: 99 accepted, 1 rejected (1.0 %), 0 server errors (0.0 %)'],
  ['a fifth rejected', () => judgeErrors({ accepted: 80, rejected: 20, serverErrors: 0 }), 'warning', 'last hour: 80 accepted, 20 rejected (20.0 %), 0 server errors (0.0 %)'],
  ['a server error', () => judgeErrors({ accepted: 999, rejected: 1, serverErrors: 1 }), 'warning', 'last hour: 999 accepted, 1 rejected (0.1 %), 1 server errors (0.1 %)'],
  ['1 % server errors', () => judgeErrors({ accepted: 99, rejected: 1, serverErrors: 1 }), 'failing', 'last hour: 99 accepted, 1 rejected (1.0 %), 1 server errors (1.0 %)'],
  ['no canary', () => judgeCanary('3', {}), 'ok', 'none; version 3 has all requests'],
  ['a canary', () => judgeCanary('3', { 4: 0.1 }), 'warning', 'version 4 has 10.0 % of the requests, version 3 the others'],
  ['a recent upload', () => last(HOUR_MS), 'ok', '1 h ago, UID 7'],
  ['an upload too long ago', () => last(HOUR_MS + 1), 'warning', '1 h ago, UID 7'],
  ['an upload by a faster clock', () => last(-5000), 'ok', '0 s ago, UID 7'],
  ['no upload', () => judgeLastUpload(undefined, { now: NOW, quiet: HOUR_MS }), 'warning', 'no log was ever stored'],
  ['a stack of an earlier version', () => judgeSettings({}, { stage: 'dev' }), 'warning', 'unknown: deploy this version once'],
  ['a setting that only cdk.json has', () => judgeSettings({ stage: 'dev' }, { stage: 'dev', waf: 'true' }), 'warning', 'waf is unset in the stack, true in cdk.json'],
  ['keys without expiry', () => keys(key(), key()), 'ok', '2 valid, none expires within 1 d'],
  ['a key that expires soon', () => keys(key(), key('2025-11-15T12:00:00.000Z')), 'warning', 'k of UID 7 expires at 2025-11-15T12:00:00.000Z'],
  ['a key that expires later', () => keys(key('2025-11-15T12:00:00.001Z')), 'ok', '1 valid, none expires within 1 d'],
  ['an expired and a revoked key', () => keys(key(), key('2025-11-14T12:00:00.000Z'), key(undefined, 'revoked')), 'ok', '1 valid, none expires within 1 d'],
  ['no valid key', () => keys(key(undefined, 'revoked')), 'warning', 'there is no key that is valid'],
];
test.each(cases)('%s', (_name, find, status, says) => {
  expect([find()].flat()).toEqual([{ check: expect.any(String), status, says }]);
});

// biome-ignore format: one case a line
test.each([
  [[], 'warning', 'nobody gets alarms: set alarmEmail'],
  [[['a@example.com', 'arn:aws:sns:eu-central-1:1:t:1']], 'ok', 'a@example.com'],
  [[['a@example.com', 'PendingConfirmation'], ['b@example.com', 'arn:aws:sns:eu-central-1:1:t:1']], 'warning', 'a@example.com did not follow the link'],
])('mail to %j', (subscriptions, status, says) => {
  const all = subscriptions.map(([Endpoint, SubscriptionArn]) => ({ Endpoint, SubscriptionArn }));
  expect(judgeMail(all)).toEqual({ check: 'alarm mail', status, says });
});

describe('ops check --stack', async () => {
  let state: ReturnType<NonNullable<Parameters<typeof startAws>[2]>>;
  const healthy: typeof state = {
    // More alarms than CloudWatch describes at a time.
    alarms: Array.from({ length: 130 }, (_, index) => ({ name: `Alarm${index}`, state: 'OK' as const })),
    metrics: { Accepted: 1200, Rejected: 3 },
    canary: {},
  };
  const stack = await world().deployed({ monitored: () => state });
  await stack.uploadAt(await stack.team(), Date.now());
  const check = (now: typeof state, ...more: string[]) => {
    state = now;
    return stack.ailog(['ops', 'check', ...more]);
  };

  test('shows a healthy deployment in one table', async () => {
    const { exitCode, stdout, stderr } = await check(healthy);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Healthy.\n' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['check', 'status', 'says'],
      ['stack', 'ok', 'CREATE_COMPLETE, 2025-11-14T00:00:00Z'],
      ['alarms', 'ok', 'none of 130 is in alarm'],
      ['errors', 'ok', 'last hour: 1200 accepted, 3 rejected (0.2 %), 0 server errors (0.0 %)'],
      ['canary', 'ok', 'none; version 1 has all requests'],
      ['settings', 'ok', 'the stack has those of cdk.json'],
      ['last upload', 'ok', expect.stringMatching(/^\d+ s ago, UID \d+$/)],
      ['keys', 'ok', '1 valid, none expires within 7 d'],
      [''],
    ]);
  });

  test('leaves out the canary of a function that has no alias yet', async () => {
    const { canary: _, ...rest } = healthy;
    const { stdout } = await check(rest, '--json');
    expect(JSON.parse(stdout).checks.map((one: Health) => one.check)).not.toContain('canary');
  });

  test('names the settings that the next deployment would change, and prints those of the stack as JSON', async () => {
    const settings = { ...textsOf(readStage('dev')), uidQuota: '500', alarmEmail: 'ops@example.com', waf: 'true' };
    const { stdout } = await check({ ...healthy, settings }, '--json');
    const { checks, stages } = JSON.parse(stdout);
    const differing = checks.filter(({ status }: Health) => status !== 'ok');
    expect(differing).toEqual(
      [
        'uidQuota is 500 in the stack, 1000',
        'waf is true in the stack, false',
        'alarmEmail is ops@example.com in the stack, unset',
      ].map((says) => ({ check: 'settings', status: 'warning', says: `${says} in cdk.json` })),
    );
    expect(stages).toEqual({ dev: { disposable: true, uidQuota: 500, waf: true, alarmEmail: 'ops@example.com' } });
    const prod = { ...textsOf(readStage('prod')), checkpointKeys: '1,2', entryRetentionDays: '9', tlogLockDays: '30' };
    const { stdout: ofProd } = await check({ ...healthy, settings: prod }, '--json');
    expect(JSON.parse(ofProd).stages.prod).toEqual({ checkpointKeys: '1,2', entryRetentionDays: 9, tlogLockDays: 30 });
  });

  test('names what is failing, and exits with 1', async () => {
    const alarms = [...healthy.alarms, { name: 'Unavailable', state: 'ALARM' as const }];
    const metrics = { Accepted: 90, Rejected: 10, Unavailable: 6, SystemError: 4 };
    const { exitCode, stdout, stderr } = await check({ alarms, metrics, canary: { 2: 0.1 } }, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'Not healthy: alarms, errors.\n' });
    expect(JSON.parse(stdout).checks.filter(({ status }: Health) => status !== 'ok')).toEqual([
      { check: 'alarms', status: 'failing', says: 'Unavailable since 2025-11-14T06:53:21Z: Impact of Unavailable.' },
      {
        check: 'errors',
        status: 'failing',
        says: 'last hour: 90 accepted, 10 rejected (10.0 %), 10 server errors (10.0 %)',
      },
      { check: 'canary', status: 'warning', says: 'version 2 has 10.0 % of the requests, version 1 the others' },
    ]);
  });
});

test('ops check --local checks the last upload and the keys', async () => {
  stopClock(NOW);
  const local = await localWorld();
  const before = await local.ailog(['ops', 'check']);
  expect(before).toMatchObject({ exitCode: 0, stderr: 'Healthy, with warnings: last upload, keys.\n' });
  await local.uploadAt(await local.team(), NOW - 7000);
  const { exitCode, stdout, stderr } = await local.ailog(['ops', 'check', '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Healthy.\n' });
  expect(JSON.parse(stdout).checks.map(({ check }: Health) => check)).toEqual(['last upload', 'keys']);

  const quiet = await local.team({ key: { expiresAt: new Date(NOW + 2 * HOUR_MS).toISOString() } });
  await local.uploadAt(quiet, NOW - 2 * HOUR_MS);
  const rows = async (...args: string[]) =>
    (await local.ailog(['ops', 'check', ...args])).stdout.split('\n').slice(1, -1);
  // The newest upload is that of the other team.
  expect(await rows('--quiet', '1h', '--expiring', '1h')).toEqual([
    expect.stringMatching(/^last upload {2}ok +7 s ago, UID \d+$/),
    'keys         ok      2 valid, none expires within 1 h',
  ]);
  expect(await rows()).toEqual([
    expect.stringMatching(/^last upload {2}ok /),
    `keys         warning  ${quiet.accessKey} of UID ${quiet.uid} expires at ${(await local.apiKeys.get(quiet.accessKey))?.expiresAt}`,
  ]);
});
