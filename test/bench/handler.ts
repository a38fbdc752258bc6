import { randomBytes } from 'node:crypto';
import { BatchGetCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { Entry } from '../../functions/ailog/entry.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { aiLog, eventOf, jsonOf, signedUpload, type Tables, type Team, world } from '../setup/world.ts';
import { entryAt } from './entries.ts';
import { headOf, median, sideBySide, timeOf } from './measure.ts';

/** Measured uploads of a candidate. */
const ROUNDS = 300;

/** Uploads before the first measured one, so that all candidates run compiled code. */
const WARM_UP = 300;

/** Uploads of one candidate before it is the turn of the other. */
const TURN = 10;

type Handler = ReturnType<typeof createHandler>;

/** Log sizes in bytes, by their names in the output. */
export const SIZES = { '1.5 KB': 1536, '10 KB': 10_240, '100 KB': 102_400, '900 KB': 921_600 };

/** The words of logs. */
export const WORDS =
  'the market is trending up down volume support resistance momentum risk hold buy sell ETH BTC'.split(' ');

/** A log of about this many bytes, similar to those of bots: prose, candles, numbers; the same in every run. */
export function logOf(bytes: number): string {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const candles: unknown[] = [];
  const prose: string[] = [];
  const text = () => jsonOf({ ...aiLog, input: { candles, prompt: prose.join(' ') } });
  while (text().length < bytes) {
    const missing = bytes - text().length;
    for (let i = 0; i < Math.max(1, missing / 150); i += 1) {
      candles.push({
        t: 1_763_100_000 + candles.length * 60,
        open: random() * 1e5,
        close: random() * 1e5,
        vol: random(),
      });
      for (let n = 0; n < 12; n += 1) prose.push(WORDS[Math.floor(random() * WORDS.length)] as string);
    }
  }
  return text();
}

/** The bare calls of an upload: `five` read each record, as the goals do, `four` both in one, as the function does. */
type BareCalls = 'five' | 'four';

/** Makes the calls of one upload and nothing else: the reads, two counters, one put, in three round trips. */
async function bareCalls(
  { db, names, weightKey }: Tables & { weightKey: string },
  team: Team,
  entry: Entry,
  calls: BareCalls,
): Promise<void> {
  const read = (TableName: string, Key: object) => db.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const count = (subject: string) =>
    db.send(
      new UpdateCommand({
        TableName: names.weights,
        Key: { subjectWindow: `${subject}#${weightKey}` },
        UpdateExpression: 'ADD used :weight SET expiresAt = :expiresAt',
        ConditionExpression: 'attribute_not_exists(used) OR used <= :mostBefore',
        ExpressionAttributeValues: { ':weight': 1, ':mostBefore': 1e6, ':expiresAt': 2_000_000_000 },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
  const [key, owner] = [{ accessKey: team.accessKey }, { uid: team.uid }];
  if (calls === 'five') await Promise.all([read(names.apiKeys, key), read(names.allowlist, owner)]);
  else {
    const RequestItems = {
      [names.apiKeys]: { Keys: [key], ConsistentRead: true },
      [names.allowlist]: { Keys: [owner], ConsistentRead: true },
    };
    await db.send(new BatchGetCommand({ RequestItems }));
  }
  await Promise.all([count(`uid#${team.uid}`), count('ip#192.0.2.1')]);
  await db.send(
    new PutCommand({ TableName: names.aiLogs, Item: entry, ConditionExpression: 'attribute_not_exists(entryId)' }),
  );
}

/** Returns a function that prepares an upload of a log and returns the function that makes its bare calls. */
export function prepareBare(fixture: Tables, team: Team, body: string, calls: BareCalls): () => () => Promise<void> {
  const log = { ...JSON.parse(body), orderId: '590480926522704171' };
  const { uid, accessKey } = team;
  return () => {
    const signature = randomBytes(32).toString('base64');
    const entry = entryAt(Date.now(), log, { uid, accessKey, signature }, body);
    const item = { ...entry, ...arrivalKeys(entry) };
    return () => bareCalls({ ...fixture, weightKey: 'bare' }, team, item, calls);
  };
}

/** Returns a function that makes five bare calls for a log and returns their time in milliseconds. */
export function bareUpload(fixture: Tables, team: Team, body: string): () => Promise<number> {
  const prepare = prepareBare(fixture, team, body, 'five');
  return () => timeOf(prepare());
}

/** Has a handler accept an upload. @throws Error with its answer if it does not */
export async function accept(handle: Handler, event: ReturnType<typeof eventOf>): Promise<void> {
  const { statusCode, body } = await handle(event, {} as Context);
  if (statusCode !== 200) throw new Error(body);
}

/** Returns a function that prepares an upload and returns the function that has a handler accept it. */
export function prepareUpload(handle: Handler, team: Team, body: string): () => () => Promise<void> {
  let sent = 0;
  const base64 = Buffer.from(body).toString('base64');
  return () => {
    // Two equal requests of a millisecond would be one upload.
    const timestamp = Date.now() - (sent++ % 20_000);
    // The gateway passes every body on in base64: infra/api/api.ts.
    const event = {
      ...eventOf(signedUpload(team, { body, timestamp: () => timestamp })),
      body: base64,
      isBase64Encoded: true,
    };
    return () => accept(handle, event);
  };
}

/** Runs some work without its output: the log lines are written, so their cost counts, but not among the figures. */
async function withoutOutput<T>(work: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

/** The medians of some uploads. */
interface Spent {
  /** CPU milliseconds per upload, of each turn. */
  readonly cpu: number[];
  /** The time of each upload in milliseconds. */
  readonly time: number[];
}

/** Measures candidates in turns of several uploads, so that work after a response rarely counts for the other. */
export async function measureUploads<Name extends string>(
  candidates: Record<Name, () => () => Promise<void>>,
): Promise<Record<Name, Spent>> {
  const names = Object.keys(candidates) as Name[];
  const spent = Object.fromEntries(names.map((name) => [name, { cpu: [], time: [] }])) as unknown as Record<
    Name,
    Spent
  >;
  const turn = (name: Name, counts: boolean) => async () => {
    const calls = Array.from({ length: TURN }, candidates[name]);
    const before = process.cpuUsage();
    for (const call of calls) {
      const time = await timeOf(call);
      if (counts) spent[name].time.push(time);
    }
    const { user, system } = process.cpuUsage(before);
    if (counts) spent[name].cpu.push((user + system) / 1000 / TURN);
    return 0;
  };
  const turns = (counts: boolean) =>
    Object.fromEntries(names.map((name) => [name, turn(name, counts)])) as Record<Name, () => Promise<number>>;
  await withoutOutput(async () => {
    await sideBySide(WARM_UP / TURN, turns(false));
    await sideBySide(ROUNDS / TURN, turns(true));
  });
  return spent;
}

/** Compares CPU and time of the handler with those of its calls. The difference is the handler's own share. */
export async function measureHandler(): Promise<string[]> {
  const fixture = await world({ uidQuota: 900_000_000, ipQuota: 900_000_000 });
  const team = await fixture.team();
  // The log line and the metrics are part of an upload.
  const dependencies = fixture.dependencies();
  const handle = createHandler({ ...dependencies, config: { ...dependencies.config, logLevel: 'INFO' } });
  const lines = [
    `### Handler compared with bare calls, ${ROUNDS} uploads each, alternately ${TURN}`,
    '',
    'Five calls read key and allowlist entry one by one, as the goals assume; four read them together, as the handler does.',
    '',
    ...headOf(
      '| log | five calls, CPU | four, CPU | handler, CPU | to five | to four | five calls, p50 | four, p50 | handler, p50 | to five | to four |',
    ),
  ];
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  for (const [name, bytes] of Object.entries(SIZES)) {
    const body = logOf(bytes);
    const { five, four, handler } = await measureUploads({
      five: prepareBare(fixture, team, body, 'five'),
      four: prepareBare(fixture, team, body, 'four'),
      handler: prepareUpload(handle, team, body),
    });
    const compare = (of: (spent: Spent) => number) => {
      const [ofFive, ofFour, all] = [of(five), of(four), of(handler)];
      return `${ms(ofFive)} | ${ms(ofFour)} | ${ms(all)} | **${(all / ofFive).toFixed(2)}** | ${(all / ofFour).toFixed(2)}`;
    };
    lines.push(`| ${name} | ${compare(({ cpu }) => median(cpu))} | ${compare(({ time }) => median(time))} |`);
  }
  return lines;
}
