import { randomBytes } from 'node:crypto';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { type Fixture, openFixture, type Team } from '../setup/fixture.ts';
import { eventOf } from '../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../setup/upload.ts';
import { median, quantile, sideBySide } from './measure.ts';

const ROUNDS = 300;

/** Uploads before the first measured one, so that all candidates run compiled code. */
const WARM_UP = 300;

/** Log sizes in bytes, by their names in the output. */
export const SIZES = { '1.5 KB': 1536, '10 KB': 10_240, '100 KB': 102_400, '900 KB': 921_600 };

/** A log of about this many bytes, similar to those of bots: prose, candles, numbers. The text is the same in every run. */
export function logOf(bytes: number): string {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const words = 'the market is trending up down volume support resistance momentum risk hold buy sell ETH BTC'.split(
    ' ',
  );
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
      for (let n = 0; n < 12; n += 1) prose.push(words[Math.floor(random() * words.length)] as string);
    }
  }
  return text();
}

/** Makes the calls of one upload and nothing else: two reads, two counters, one put, in three round trips. */
async function bareCalls(
  { db, names, weightKey }: Fixture & { weightKey: string },
  team: Team,
  entry: Entry,
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
  await Promise.all([read(names.apiKeys, { accessKey: team.accessKey }), read(names.allowlist, { uid: team.uid })]);
  await Promise.all([count(`uid#${team.uid}`), count('ip#192.0.2.1')]);
  await db.send(
    new PutCommand({ TableName: names.aiLogs, Item: entry, ConditionExpression: 'attribute_not_exists(entryId)' }),
  );
}

/** Returns a function that makes the bare calls for a log and returns their time in milliseconds. */
export function bareUpload(fixture: Fixture, team: Team, body: string): () => Promise<number> {
  const log = JSON.parse(body);
  return async () => {
    const entry = composeEntry(
      { ...log, orderId: '590480926522704171' },
      {
        uid: team.uid,
        accessKey: team.accessKey,
        timestamp: String(Date.now()),
        signature: randomBytes(32).toString('base64'),
        receivedAt: Date.now(),
        locale: 'en-US',
        sourceIp: '192.0.2.1',
        query: '',
        rawBody: Buffer.from(body),
      },
    );
    const start = performance.now();
    await bareCalls({ ...fixture, weightKey: 'bare' }, team, entry);
    return performance.now() - start;
  };
}

/** Compares the time of the handler with the time of its calls. The difference is the handler's own share. */
export async function measureHandler(): Promise<string[]> {
  const fixture = await openFixture();
  const team = await fixture.team();
  const handle = createHandler(fixture.dependencies());
  const lines = [
    `### Handler compared with its calls, ${ROUNDS} uploads each`,
    '',
    '| log | bare calls p50 | handler p50 | ratio | bare calls p99 | handler p99 |',
    '|---|---|---|---|---|---|',
  ];
  for (const [name, bytes] of Object.entries(SIZES)) {
    const body = logOf(bytes);
    const times = await sideBySide(WARM_UP + ROUNDS, {
      bare: bareUpload(fixture, team, body),
      handler: async () => {
        const event = eventOf(signedUpload(team, { body }));
        const start = performance.now();
        const { statusCode, body: answer } = await handle(event, {} as Context);
        if (statusCode !== 200) throw new Error(answer);
        return performance.now() - start;
      },
    });
    const [bare, handler] = [times.bare.slice(WARM_UP), times.handler.slice(WARM_UP)];
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    lines.push(
      `| ${name} | ${ms(median(bare))} | ${ms(median(handler))} | ${(median(handler) / median(bare)).toFixed(2)} | ` +
        `${ms(quantile(bare, 0.99))} | ${ms(quantile(handler, 0.99))} |`,
    );
  }
  return lines;
}
