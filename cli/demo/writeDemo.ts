import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../functions/ailog/entry.ts';
import { composeEntry } from '../../functions/ailog/entry.ts';
import { allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { sign } from '../../functions/auth/signature.ts';
import { readAiLog } from '../delivery/readLog.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import { apiKeysEditor } from '../tables/apiKeysEditor.ts';
import { LOCAL_FOLDER, localTables } from '../target/data.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Seal } from '../target/seal.ts';
import { Failure } from '../terminal/failure.ts';
import type { DemoLog, DemoOrder } from './competition.ts';
import { type DemoTeam, FIRST_UID } from './competition.ts';

interface DemoAccess extends Credentials {
  readonly accessKey: string;
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Returns the access of a demo team. It follows from the seed, so that entry ids are the same in every run. That makes
 * it public, which is why the demo only runs on local data.
 */
const demoAccess = (seed: string, uid: string): DemoAccess => ({
  accessKey: `ailog_${digest(`demo key ${seed} ${uid}`).slice(0, 32)}`,
  secret: digest(`demo secret ${seed} ${uid}`),
  passphrase: digest(`demo passphrase ${seed} ${uid}`).slice(0, 32),
});

/** Composes the entry that the service would store for a log: validated, and signed with the team's secret. */
function demoEntry(uid: string, { accessKey, secret }: DemoAccess, { signedAt, body }: DemoLog): Entry {
  const rawBody = Buffer.from(body);
  const timestamp = String(signedAt);
  return composeEntry(readAiLog(rawBody), {
    uid,
    accessKey,
    timestamp,
    signature: sign(secret, { timestamp, query: '', body: rawBody }),
    // 40 to 290 ms later, the same in every run.
    receivedAt: signedAt + 40 + (signedAt % 251),
    locale: 'en-US',
    sourceIp: '127.0.0.1',
    query: '',
    rawBody,
  });
}

/** The author of the demo's allowlist entries and keys. */
const authorOf = (seed: string) => `npm run demo, seed ${seed}`;

const DAY_MS = 86_400_000;

/**
 * Returns the first day of the demo that the tables contain, in milliseconds since 1970; undefined if there is none.
 * Its allowlist entries and keys say that they were made on the day before.
 */
export async function storedFirstDay(db: DynamoDBDocumentClient, seed: string): Promise<number | undefined> {
  const uid = String(FIRST_UID);
  const key = await apiKeysTable(db, localTables.apiKeys).get(demoAccess(seed, uid).accessKey, readTimeout());
  if (key) return Date.parse(key.createdAt) + DAY_MS;
  // An interrupted run leaves the first team without its key.
  const entry = await allowlistTable(db, localTables.allowlist).get(uid, readTimeout());
  return entry?.updatedAt && entry.updatedBy === authorOf(seed) ? Date.parse(entry.updatedAt) + DAY_MS : undefined;
}

/** The most items that DynamoDB takes in one call. */
const BATCH_ITEMS = 25;

/** Writes entries. Writing an entry again changes nothing, because its id follows from its content. */
async function putEntries(db: DynamoDBDocumentClient, entries: readonly Entry[]): Promise<void> {
  for (let start = 0; start < entries.length; start += BATCH_ITEMS) {
    let requests = entries.slice(start, start + BATCH_ITEMS).map((Item) => ({ PutRequest: { Item } }));
    while (requests.length > 0) {
      const { UnprocessedItems } = await db.send(
        new BatchWriteCommand({ RequestItems: { [localTables.aiLogs]: requests } }),
      );
      requests = (UnprocessedItems?.[localTables.aiLogs] ?? []) as typeof requests;
    }
  }
}

/**
 * Writes the teams of the demo to local tables: allowlist entries, API keys and signed entries. It adds what is missing
 * and changes nothing that exists, such as the status of a team that was disqualified since.
 * @param firstDay the first day of the competition, in milliseconds since 1970
 * @returns the number of teams that were added
 * @throws Failure if a UID of the demo belongs to somebody else, or to the demo of another seed; nothing is written
 * then
 */
export async function writeDemo(
  teams: readonly DemoTeam[],
  { seed, firstDay, db, seal }: { seed: string; firstDay: number; db: DynamoDBDocumentClient; seal: Seal },
): Promise<number> {
  const allowlist = allowlistEditor(db, localTables.allowlist);
  const apiKeys = { ...apiKeysTable(db, localTables.apiKeys), ...apiKeysEditor(db, localTables.apiKeys) };
  const listed = new Map((await Array.fromAsync(allowlist.all())).map((entry) => [entry.uid, entry]));
  const author = authorOf(seed);
  const missing: DemoTeam[] = [];
  for (const team of teams) {
    if (await apiKeys.get(demoAccess(seed, team.uid).accessKey, readTimeout())) continue;
    missing.push(team);
    // An interrupted run leaves a team without its key.
    if (!listed.has(team.uid) || listed.get(team.uid)?.updatedBy === author) continue;
    throw new Failure('usage', `UID ${team.uid} exists already, and the demo with seed ${seed} did not create it.`, {
      advice: 'Use another folder, or delete .local/ to start with empty data.',
    });
  }
  const createdAt = new Date(firstDay - DAY_MS).toISOString();
  for (const { uid, name, logs } of missing) {
    const access = demoAccess(seed, uid);
    const { accessKey, ...credentials } = access;
    if (!listed.has(uid)) {
      await allowlist.put({ uid, status: 'approved', team: name, updatedAt: createdAt, updatedBy: author });
    }
    await putEntries(
      db,
      logs.map((log) => demoEntry(uid, access, log)),
    );
    // The key comes last: it marks the team as complete.
    const sealed = await seal(credentials, { accessKey, uid });
    await apiKeys.put({
      accessKey,
      uid,
      status: 'active',
      credentials: sealed,
      createdAt,
      label: 'demo',
      updatedBy: author,
    });
  }
  return missing.length;
}

/** The order list of the demo. */
export const DEMO_ORDERS_FILE = join(LOCAL_FOLDER, 'demo-orders.csv');

/**
 * Formats orders as an exchange exports them: other names of columns, other columns too, times without a zone, and ids
 * without protection from spreadsheets.
 */
export const formatOrderExport = (orders: readonly DemoOrder[]): string =>
  [
    ['uid', 'order_id', 'symbol', 'side', 'price', 'size', 'time'],
    ...orders.map(({ uid, orderId, symbol, side, price, size, placedAt }) => [
      uid,
      orderId,
      symbol,
      side,
      price,
      size,
      new Date(placedAt).toISOString().slice(0, 23).replace('T', ' '),
    ]),
  ]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
