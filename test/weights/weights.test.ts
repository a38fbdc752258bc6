import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ipSubject } from '../../functions/upload/middleware/enforceWeights.ts';
import { weightsTable, windowAt } from '../../functions/weights/weights.ts';
import { openWorld, type Team, LONG_WINDOW as WINDOW, type World } from '../setup/fixture.ts';
import { type Answer, type Door, inProcess, overHttp } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

/** Uploads of one team, each signed for a time of its own, sent at once through the doors in turn. */
const burst = (doors: Door[], team: Team, count: number): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) => {
      const timestamp = Date.now() + (i % 20_000);
      return (doors[i % doors.length] as Door).send(signedUpload(team, { timestamp: () => timestamp }));
    }),
  );

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

describe('300 uploads at once against a quota of 100', () => {
  let world: World;
  const doors: Door[] = [];
  beforeAll(async () => {
    world = await openWorld({ uidQuota: 100, windowSeconds: WINDOW });
    doors.push(await overHttp(world), await overHttp(world));
  });
  afterAll(() => Promise.all(doors.map((door) => door.close())));

  test.each([
    ['one process', 1],
    ['two processes', 2],
  ])('through %s: exactly 100 are accepted, stored and counted', async (_name, processes) => {
    const team = await world.team();
    const answers = await burst(doors.slice(0, processes), team, 300);

    expect(count(answers, 200)).toBe(100);
    expect(count(answers, 429)).toBe(200);
    expect(await world.entriesOf(team.uid)).toHaveLength(100);
    expect(await world.weightOf(`uid#${team.uid}`)).toBe(100);
  });
});

describe('what the answers say', () => {
  test('every success says what is left, and an error who has none, how much was used, and when to come back', async () => {
    const world = await openWorld({ uidQuota: 3, ipQuota: 50, windowSeconds: WINDOW });
    const team = await world.team();
    const door = inProcess(world.dependencies());
    const answers: Answer[] = [];
    for (let i = 0; i < 4; i += 1) answers.push((await burst([door], team, 1))[0] as Answer);

    const left = answers.map(({ headers }) => headers.ratelimit?.replaceAll(/t=\d+/g, 't=…'));
    expect(left).toEqual([
      '"uid";r=2;t=…, "ip";r=49;t=…',
      '"uid";r=1;t=…, "ip";r=48;t=…',
      '"uid";r=0;t=…, "ip";r=47;t=…',
      '"uid";r=0;t=…, "ip";r=46;t=…',
    ]);
    expect(answers[0]?.headers['ratelimit-policy']).toBe(`"uid";q=3;w=${WINDOW}, "ip";q=50;w=${WINDOW}`);
    const rejected = answers[3] as Answer;
    expect(rejected.json).toMatchObject({ code: '429', msg: `Too many requests: UID weight 3/3 in ${WINDOW} s` });
    const wait = Number(rejected.headers['retry-after']);
    expect(Number.isInteger(wait) && wait >= 1 && wait <= WINDOW).toBe(true);
    expect(answers[0]?.headers['retry-after']).toBeUndefined();
  });

  test('an IP address over its quota rejects every team behind it, and no team behind another one', async () => {
    const world = await openWorld({ ipQuota: 2, windowSeconds: WINDOW });
    const [one, two] = [await world.team(), await world.team()];
    const shared = inProcess(world.dependencies(), '198.51.100.7');
    await burst([shared], one, 2);

    const [rejected] = await burst([shared], two, 1);
    expect(rejected?.json).toMatchObject({ code: '429', msg: `Too many requests: IP weight 2/2 in ${WINDOW} s` });
    const [elsewhere] = await burst([inProcess(world.dependencies(), '198.51.100.8')], two, 1);
    expect(elsewhere?.status).toBe(200);
  });

  test('an error is remembered until the window ends, and forgotten then', async () => {
    let time = windowAt(Date.now(), 10).start;
    const world = await openWorld({ uidQuota: 1, windowSeconds: 10 });
    const team = await world.team();
    const door = inProcess(world.dependencies({ now: () => time }));
    const upload = async () => (await door.send(signedUpload(team, { timestamp: () => time }))).status;

    expect(await upload()).toBe(200);
    time += 1;
    expect(await upload()).toBe(429);
    time += 9_998;
    expect(await upload()).toBe(429);
    time += 1;
    expect(await upload()).toBe(200);
  });
});

describe('the counters', () => {
  const consumption = { weight: 1, quota: 2 };
  const patience = () => AbortSignal.timeout(10_000);

  test('an error is remembered until a later window has one', async () => {
    const world = await openWorld();
    const weights = weightsTable(world.db, world.names.weights);
    const first = windowAt(Date.now(), WINDOW);
    const next = windowAt(first.end, WINDOW);
    const consume = (subject: string, window: typeof first) =>
      weights.consume(subject, window, consumption, patience());
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
    // An answer that comes late, from the window before, is not taken for one of this window.
    expect(await consume('uid#1', first)).toEqual({ granted: false, used: 2 });
    expect(known()).toEqual([undefined, undefined]);
    expect(weights.usedWhenExceeded('uid#2', next)).toBe(2);
  });

  test('what was used is told as it is counted, also where the quota is lower by now', async () => {
    const world = await openWorld({ uidQuota: 5, windowSeconds: WINDOW });
    const team = await world.team();
    await burst([inProcess(world.dependencies())], team, 5);
    const { config } = world.dependencies();
    const [rejected] = await burst([inProcess(world.dependencies({ config: { ...config, uidQuota: 3 } }))], team, 1);
    expect(rejected?.json.msg).toBe(`Too many requests: UID weight 5/3 in ${WINDOW} s`);
    expect(rejected?.headers.ratelimit).toMatch(/^"uid";r=0;/);
  });

  test('are kept for an hour after their window, then DynamoDB may delete them', async () => {
    const world = await openWorld();
    const window = windowAt(1_795_000_000_000, 10);
    await weightsTable(world.db, world.names.weights).consume('uid#1', window, consumption, patience());
    const { Item } = await world.db.send(
      new GetCommand({ TableName: world.names.weights, Key: { subjectWindow: 'uid#1#1795000000000' } }),
    );
    expect(Item).toEqual({ subjectWindow: 'uid#1#1795000000000', used: 1, expiresAt: 1_795_000_010 + 3600 });
  });

  test('what fails is no error: a call that is aborted throws', async () => {
    const world = await openWorld();
    const { consume } = weightsTable(world.db, world.names.weights);
    const aborted = consume('uid#1', windowAt(Date.now(), 10), consumption, AbortSignal.abort());
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('whom an address counts for', () => {
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

  test('two addresses of one /64 share a quota, the next /64 has its own', async () => {
    const world = await openWorld({ ipQuota: 1, windowSeconds: WINDOW });
    const team = await world.team();
    const statusFrom = async (address: string) =>
      (await burst([inProcess(world.dependencies(), address)], team, 1))[0]?.status;
    expect(await statusFrom('2001:db8:7:7::1')).toBe(200);
    expect(await statusFrom('2001:db8:7:7:aaaa::2')).toBe(429);
    expect(await statusFrom('2001:db8:7:8::1')).toBe(200);
    expect(await world.weightOf('ip#2001:db8:7:7::/64')).toBe(1);
  });
});
