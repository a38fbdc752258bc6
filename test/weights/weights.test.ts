import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { ipSubject, weightsTable, windowAt } from '../../functions/weights/weights.ts';
import { type Answer, inProcess, NOW, noDeadline, signedUpload, LONG_WINDOW as WINDOW, world } from '../setup/world.ts';
import { burst } from './burst.ts';

describe('the responses', () => {
  test('report the remaining weight on success, and the used weight and the time to wait on error', async () => {
    const fixture = await world({ uidQuota: 3, ipQuota: 50, windowSeconds: WINDOW });
    const team = await fixture.team();
    const transport = inProcess(fixture.dependencies());
    const answers: Answer[] = [];
    for (let i = 0; i < 4; i += 1) answers.push((await burst([transport], team, 1))[0] as Answer);

    const left = answers.map(({ headers }) => headers.ratelimit?.replaceAll(/t=\d+/g, 't=…'));
    expect(left).toEqual([
      '"uid";r=2;t=…, "ip";r=49;t=…',
      '"uid";r=1;t=…, "ip";r=48;t=…',
      '"uid";r=0;t=…, "ip";r=47;t=…',
      '"uid";r=0;t=…, "ip";r=46;t=…',
    ]);
    expect(answers[0]?.headers['ratelimit-policy']).toBe(`"uid";q=3;w=${WINDOW}, "ip";q=50;w=${WINDOW}`);
    const rejected = answers[3] as Answer;
    const wait = Number(rejected.headers['retry-after']);
    const msg = `Too many requests: UID weight 3/3 in ${WINDOW} s, retry in ${wait} s`;
    expect(rejected.json).toMatchObject({ code: '429', msg });
    expect(Number.isInteger(wait) && wait >= 1 && wait <= WINDOW).toBe(true);
    expect(answers[0]?.headers['retry-after']).toBeUndefined();
  });

  test('reject every team behind an IP address over its quota, and no team behind another one', async () => {
    const fixture = await world({ ipQuota: 2, windowSeconds: WINDOW });
    const [one, two] = [await fixture.team(), await fixture.team()];
    const shared = inProcess(fixture.dependencies(), '198.51.100.7');
    await burst([shared], one, 2);

    const [rejected] = await burst([shared], two, 1);
    expect(rejected?.json).toMatchObject({
      code: '429',
      msg: expect.stringMatching(`^Too many requests: IP weight 2/2 in ${WINDOW} s, retry in \\d+ s$`),
    });
    const [elsewhere] = await burst([inProcess(fixture.dependencies(), '198.51.100.8')], two, 1);
    expect(elsewhere?.status).toBe(200);
  });

  test('reject a subject over its quota until the window ends', async () => {
    let time = windowAt(NOW, 10).start;
    const fixture = await world({ uidQuota: 1, windowSeconds: 10 });
    const team = await fixture.team();
    const transport = inProcess(fixture.dependencies({ now: () => time }));
    const upload = async () => {
      const { status, headers } = await transport.send(signedUpload(team, { timestamp: () => time }));
      return [status, headers['retry-after']];
    };

    expect(await upload()).toEqual([200, undefined]);
    time += 1;
    expect(await upload()).toEqual([429, '10']);
    time += 9_998;
    expect(await upload()).toEqual([429, '1']);
    time += 1;
    expect(await upload()).toEqual([200, undefined]);
  });
});

describe('the counters', () => {
  const consumption = { weight: 1, quota: 2 };
  const readTimeout = () => noDeadline();

  test('remember a rejection until a later window has one', async () => {
    const fixture = await world();
    const weights = weightsTable(fixture.db, fixture.names.weights);
    const first = windowAt(NOW, WINDOW);
    const next = windowAt(first.end, WINDOW);
    const consume = (subject: string, window: typeof first) =>
      weights.consume(subject, window, consumption, readTimeout());
    const known = () => [first, next].map((window) => weights.usedWhenExceeded('uid#1', window));

    const answers = [await consume('uid#1', first), await consume('uid#1', first)];
    expect(known()).toEqual([undefined, undefined]);
    answers.push(await consume('uid#1', first));
    expect(answers).toEqual([
      { granted: true, used: 1 },
      { granted: true, used: 2 },
      { granted: false, used: 2 },
    ]);
    expect(known()).toEqual([2, undefined]);
    expect(weights.usedWhenExceeded('uid#2', first)).toBeUndefined();
    for (let i = 0; i < 3; i += 1) await consume('uid#3', first);
    expect(weights.usedWhenExceeded('uid#3', first)).toBe(2);
    expect(known()).toEqual([2, undefined]);

    for (let i = 0; i < 3; i += 1) await consume('uid#2', next);
    expect(known()).toEqual([undefined, undefined]);
    expect(weights.usedWhenExceeded('uid#2', next)).toBe(2);
    // A late response for the previous window does not count as a rejection in this one.
    expect(await consume('uid#1', first)).toEqual({ granted: false, used: 2 });
    expect(known()).toEqual([undefined, undefined]);
    expect(weights.usedWhenExceeded('uid#2', next)).toBe(2);
  });

  test('report the used weight even if the quota has been lowered below it', async () => {
    const fixture = await world({ uidQuota: 5, windowSeconds: WINDOW });
    const team = await fixture.team();
    await burst([inProcess(fixture.dependencies())], team, 5);
    const { config } = fixture.dependencies();
    const [rejected] = await burst([inProcess(fixture.dependencies({ config: { ...config, uidQuota: 3 } }))], team, 1);
    expect(rejected?.json.msg).toContain(`Too many requests: UID weight 5/3 in ${WINDOW} s, retry in `);
    expect(rejected?.headers.ratelimit).toMatch(/^"uid";r=0;/);
  });

  test('are as good as used up if DynamoDB rejects an upload and does not say how much was used', async () => {
    const send = () => Promise.reject(new ConditionalCheckFailedException({ message: 'no', $metadata: {} }));
    const { consume } = weightsTable({ send } as never, 'weights');
    const rejected = { granted: false, used: consumption.quota };
    expect(await consume('uid#1', windowAt(NOW, 10), consumption, readTimeout())).toEqual(rejected);
  });

  test('are kept for an hour after their window, then DynamoDB may delete them', async () => {
    const fixture = await world();
    const window = windowAt(1_795_000_000_000, 10);
    await weightsTable(fixture.db, fixture.names.weights).consume('uid#1', window, consumption, readTimeout());
    const { Item } = await fixture.db.send(
      new GetCommand({ TableName: fixture.names.weights, Key: { subjectWindow: 'uid#1#1795000000000' } }),
    );
    expect(Item).toEqual({ subjectWindow: 'uid#1#1795000000000', used: 1, expiresAt: 1_795_000_010 + 3600 });
  });

  test('throw on an aborted call instead of rejecting the subject', async () => {
    const fixture = await world();
    const { consume } = weightsTable(fixture.db, fixture.names.weights);
    const aborted = consume('uid#1', windowAt(NOW, 10), consumption, AbortSignal.abort());
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('ipSubject', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['not an address', 'not an address'],
  ])('%s → %s', (address, subject) => {
    expect(ipSubject(address)).toBe(subject);
  });

  test('addresses in one /64 share a quota, and the next /64 has its own', async () => {
    const fixture = await world({ ipQuota: 1, windowSeconds: WINDOW });
    const team = await fixture.team();
    const statusFrom = async (address: string) =>
      (await burst([inProcess(fixture.dependencies(), address)], team, 1))[0]?.status;
    expect(await statusFrom('2001:db8:7:7::1')).toBe(200);
    expect(await statusFrom('2001:db8:7:7:aaaa::2')).toBe(429);
    expect(await statusFrom('2001:db8:7:8::1')).toBe(200);
    expect(await fixture.weightOf('ip#2001:db8:7:7::/64')).toBe(1);
  });
});
