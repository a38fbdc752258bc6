import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { composeEntry, type Entry } from '../../../functions/ailog/entry.ts';
import { sign } from '../../../functions/auth/signature.ts';
import type { Arrival } from '../../../functions/sequencer/arrivals.ts';
import { type Log, run } from '../../../functions/sequencer/sequence.ts';
import { arrivalKeys, parseArrival } from '../../../functions/tlog/arrival.ts';
import { parseCommit } from '../../../functions/tlog/commit.ts';
import { COMMITS } from '../../../functions/tlog/paths.ts';
import type { AccessCredentials } from '../../shell/files/credentialsFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { allowlistEditor } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { LOCAL_FOLDER, localTables } from '../../store/targets/data.ts';
import { scan } from '../../store/targets/openedTarget.ts';
import type { Seal } from '../../store/targets/seal.ts';
import { readAiLog } from '../../upload/readLog.ts';
import { DAY_MS, type DemoLog, type DemoOrder, type DemoTeam, FIRST_UID } from './competition.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns the access of a demo team. It follows from the seed and is public, so the demo only runs on local data. */
const demoAccess = (seed: string, uid: string) => ({
  accessKey: `ailog_${digest(`demo key ${seed} ${uid}`).slice(0, 32)}`,
  secret: digest(`demo secret ${seed} ${uid}`),
  passphrase: digest(`demo passphrase ${seed} ${uid}`).slice(0, 32),
});

/** Composes the entry that the service would store for a log: validated, and signed with the team's secret. */
function demoEntry(uid: string, { accessKey, secret }: AccessCredentials, { signedAt, receivedAt, body }: DemoLog) {
  const rawBody = Buffer.from(body);
  const timestamp = String(signedAt);
  const entry = composeEntry(readAiLog(rawBody), {
    uid,
    accessKey,
    timestamp,
    signature: sign(secret, { timestamp, body: rawBody }),
    // 40 to 290 ms later, the same in every run.
    receivedAt: receivedAt ?? signedAt + 40 + (signedAt % 251),
    locale: 'en-US',
    sourceIp: '127.0.0.1',
    rawBody,
  });
  return { ...entry, ...arrivalKeys(entry) };
}

const authorOf = (seed: string) => `npm run demo, seed ${seed}`;

/** Returns the first day of the stored demo (ms since 1970): the day after its entries and keys say they were made. */
export async function storedFirstDay(db: DynamoDBDocumentClient, seed: string): Promise<number | undefined> {
  const local = { db, tables: localTables };
  const uid = String(FIRST_UID);
  const key = await apiKeysEditor(local).get(demoAccess(seed, uid).accessKey);
  if (key) return Date.parse(key.createdAt) + DAY_MS;
  // An interrupted run leaves the first team without its key.
  const entry = await allowlistEditor(local).get(uid);
  return entry?.updatedAt && entry.updatedBy === authorOf(seed) ? Date.parse(entry.updatedAt) + DAY_MS : undefined;
}

/** Writes entries, 25 in a call. To write one again changes nothing, because its id follows from its content. */
async function putEntries(db: DynamoDBDocumentClient, entries: readonly Entry[]): Promise<void> {
  const requests = entries.map((Item) => ({ PutRequest: { Item } }));
  while (requests.length > 0) {
    const RequestItems = { [localTables.aiLogs]: requests.splice(0, 25) };
    const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems }));
    requests.push(...((UnprocessedItems?.[localTables.aiLogs] ?? []) as typeof requests));
  }
}

/**
 * Adds the teams of the demo that local tables lack: allowlist entries, API keys, signed entries. @returns their number
 * @throws Failure if a UID of the demo exists already, from elsewhere; nothing is written then
 */
export async function writeDemo(
  teams: readonly DemoTeam[],
  { seed, firstDay, db, seal }: { seed: string; firstDay: number; db: DynamoDBDocumentClient; seal: Seal },
): Promise<number> {
  const allowlist = allowlistEditor({ db, tables: localTables });
  const apiKeys = apiKeysEditor({ db, tables: localTables });
  const listed = new Map((await Array.fromAsync(allowlist.all())).map((entry) => [entry.uid, entry]));
  const author = authorOf(seed);
  const missing: DemoTeam[] = [];
  for (const team of teams) {
    if (await apiKeys.get(demoAccess(seed, team.uid).accessKey)) continue;
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
    const key = { accessKey, uid, status: 'active', credentials: sealed, createdAt } as const;
    await apiKeys.put({ ...key, label: 'demo', updatedBy: author });
  }
  return missing.length;
}

export const DEMO_ORDERS_FILE = join(LOCAL_FOLDER, 'demo-orders.csv');

/** Formats orders as an exchange exports them: with other columns, and times without a zone. */
export const formatOrderExport = (orders: readonly DemoOrder[]): string =>
  [
    'uid,order_id,symbol,side,price,size,time\n',
    ...orders.map(({ uid, orderId, symbol, side, price, size, placedAt }) => {
      const time = new Date(placedAt).toISOString().slice(0, 23).replace('T', ' ');
      return `${[uid, orderId, symbol, side, price, size, time]}\n`;
    }),
  ].join('');

/** Adds the demo's entries to the log by receipt: a sequencer only looks for new ones. @returns the number of leaves */
export async function appendEarlier(db: DynamoDBDocumentClient, tableName: string, log: Log): Promise<number> {
  const { signal } = new AbortController();
  const logged = new Set<string>();
  const paths = await log.storage.list(COMMITS, COMMITS, signal);
  for (const path of paths) {
    const file = await log.storage.get(path, signal);
    for (const entry of parseCommit(Buffer.from(file?.bytes ?? []).toString(), path).entries)
      logged.add(Buffer.from(entry).toString('latin1'));
  }
  const until = Date.now() - log.lagMs;
  const missing: Arrival[] = [];
  const rows = scan<{ arrival: Uint8Array }>(db, { TableName: tableName, ProjectionExpression: 'arrival' });
  for await (const { arrival } of rows) {
    const found = parseArrival(arrival);
    if (found && found.receivedAt < until && !logged.has(found.entryHash.toString('latin1'))) missing.push(found);
  }
  missing.sort((one, other) => one.receivedAt - other.receivedAt);
  const first = missing[0]?.receivedAt ?? until;
  const arrivals = {
    beginning: async () => first,
    between: async ([, end]: readonly [number, number]) => {
      const later = missing.findIndex(({ receivedAt }) => receivedAt >= end);
      return missing.splice(0, later === -1 ? missing.length : later);
    },
  };
  const { superseded, size } = await run({ ...log, arrivals, stepMs: DAY_MS, now: () => until + log.lagMs }, signal);
  // `npm start` has changed the log meanwhile.
  return superseded ? appendEarlier(db, tableName, log) : size;
}
