import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test, vi } from 'vitest';
import { localSigner } from '../../../../cli/local/sequenceKeys.ts';
import { readRows } from '../../../../functions/features/readRows.ts';
import { compactDays } from '../../../../functions/indexer/compactDays.ts';
import { rowBucket } from '../../../../functions/indexer/rowBucket.ts';
import { s3Storage } from '../../../../functions/sequencer/s3Storage.ts';
import { run } from '../../../../functions/sequencer/sequence.ts';
import {
  noDeadline,
  openStack,
  runCommand,
  startAws,
  startCloud,
  temporaryFolder,
  world,
} from '../../../setup/world.ts';
import { openConsole } from '../../console/openConsole.ts';

const DAY_MS = 86_400_000;

/** A deployment with the setting `analytics`, whose stream has lost everything. */
const fixture = await world({ receiptKey: false });
const team = await fixture.oldTeam();
const cloud = await startCloud();
const checkpointKey = localSigner(fixture.environment.CREDENTIALS_KEY_FILE, 'localhost/ailog').key;
const log = { origin: 'localhost/ailog', bucket: 'bucket', checkpointKey };
const more = { AWS_ENDPOINT_URL_S3: cloud.environment.AWS_ENDPOINT_URL_S3 };
const stack = await openStack(fixture, { log: { ...log, rows: 'bucket' }, more });
for (const [name, value] of Object.entries(stack.variables)) vi.stubEnv(name, value);
afterAll(() => vi.unstubAllEnvs());
/** The time of the last upload. It begins at noon of a closed day. */
let last = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS + DAY_MS / 2;
const cwd = temporaryFolder();

const onStack = (...args: string[]) =>
  runCommand([...args, '--stack', 'AiLogUpload-test'], { cwd, env: { XDG_DATA_HOME: cwd } });
const backfill = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await onStack('data', 'backfill', ...args, '--json');
  return { exitCode, stderr, result: stdout && JSON.parse(stdout) };
};

/** Stores entries and adds them to the transparency log. @returns their ids */
async function upload(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    last += 1;
    ids.push(await fixture.uploadAt(team, last));
  }
  const local = fixture.runOptions;
  const storage = s3Storage(new S3Client(), 'bucket', 'localhost/ailog');
  await run(
    {
      ...local,
      arrivals: { ...local.arrivals, beginning: async () => last - 60_000 },
      storage,
      lagMs: 0,
      now: () => last + 1,
    },
    noDeadline(),
  );
  return ids;
}

// The log begins before the first upload.
await upload(0);

const idsInBucket = async () => {
  const bucket = rowBucket(new S3Client(), 'bucket');
  const files = await Promise.all((await bucket.list('entries/')).map(bucket.get));
  const rows = await Promise.all(files.map((bytes) => readRows<{ entry_id: string }>(bytes)));
  return rows.flat().map(({ entry_id }) => entry_id);
};

/** Finds by the transparency log what the bucket lacks, and adds it. */
async function findsWhatIsMissing() {
  const ids = await upload(3);
  expect(await backfill('--dry-run')).toMatchObject({ exitCode: 1, result: { missing: 3, added: 0, left: 3 } });
  expect(await backfill()).toMatchObject({ exitCode: 0, result: { missing: 3, added: 3, left: 0, poisoned: [] } });
  expect((await idsInBucket()).sort()).toEqual(ids.sort());

  const more = await upload(1);
  expect(await backfill()).toMatchObject({ exitCode: 0, result: { missing: 1, added: 1, left: 0 } });
  expect((await idsInBucket()).sort()).toEqual([...ids, ...more].sort());
}

/** Reads no entry if every leaf has a row. */
async function readsNothingThatHasARow() {
  const puts = cloud.objects.size;
  const { exitCode, stderr, result } = await backfill();
  expect({ exitCode, stderr, result }).toMatchObject({ exitCode: 0, stderr: '', result: { missing: 0, added: 0 } });
  expect(cloud.objects.size).toBe(puts);
}

/** A first sync downloads closed days, and reads the entries that they lack. */
async function firstSync() {
  await compactDays(rowBucket(new S3Client(), 'bucket'), { now: Date.now(), hasTime: () => true });
  const old = await idsInBucket();
  // Its row can come from the bucket only.
  const Key = { uid: team.uid, entryId: old[0] };
  await fixture.db.send(new DeleteCommand({ TableName: fixture.names.aiLogs, Key }));
  const [fresh] = await upload(1);
  const { exitCode, stdout, stderr } = await onStack('data', 'sync', '--json');
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('5 new entries') });
  expect(JSON.parse(stdout)).toMatchObject({ added: 5, missing: 0, problems: [] });
  expect(await onStack('data', 'sync', '--check')).toMatchObject({ exitCode: 0 });
  const found = await onStack('logs', 'list', 'ETH', '--no-sync', '--json');
  const ids = JSON.parse(found.stdout).map(({ entryId }: { entryId: string }) => entryId);
  expect(ids.sort()).toEqual([...old.slice(1), fresh].sort());
}

/** The review console of a deployment syncs the same, and shows downloaded days and what only the table has. */
async function consoleOfADeployment() {
  const stack = ['--stack', 'AiLogUpload-test'];
  const running = await openConsole(cwd, stack, { ...process.env, XDG_DATA_HOME: join(cwd, 'console') });
  const get = async (route: string, params: Readonly<Record<string, string>> = {}) =>
    (await running.get(route, params)).answer;
  try {
    await expect.poll(async () => (await get('status')).sync.doing, { timeout: 60_000, interval: 50 }).toBe('waiting');
    expect(await get('status')).toMatchObject({ target: 'AiLogUpload-test', targetOptions: stack, sync: { rows: 5 } });
    await expect.poll(async () => (await get('board')).teams[0]?.entries, { timeout: 60_000, interval: 50 }).toBe(5);
    const { hits } = await get('search', { q: 'ETH' });
    // The oldest was deleted from the table: its row and text come from the bucket.
    expect(hits.map(({ excerpt }: { excerpt: string | null }) => excerpt === null)).toEqual([
      ...[false, false, false, false],
      true,
    ]);
    const [newest, deleted] = [hits[0], hits.at(-1)].map(({ uid, entryId }) => ({ uid, id: entryId }));
    expect((await get('entry', newest)).isDamaged).toBe(false);
    expect((await running.get('entry', deleted)).status).toBe(404);
    expect((await get('case', { uid: team.uid })).caller).toMatch(/^arn:aws:/);
  } finally {
    await running.end();
  }
}

/** Names an entry whose body was changed, and counts one that was edited. */
async function changedEntries() {
  const [changed, edited] = (await upload(2)) as [string, string];
  await fixture.tamper({ uid: team.uid, entryId: changed }, { body: Buffer.from('no zstd') });
  await fixture.tamper({ uid: team.uid, entryId: edited }, { sourceIp: '203.0.113.9' });
  const { exitCode, result } = await backfill();
  expect(exitCode).toBe(1);
  expect(result).toMatchObject({ missing: 3, added: 1, left: 2 });
  expect(result.poisoned).toEqual([`Entry ${changed} of UID ${team.uid}: its body cannot be decompressed`]);
}

test('what the bucket lacks is found by the log and added, and a sync and the console read it', async () => {
  await findsWhatIsMissing();
  await readsNothingThatHasARow();
  await firstSync();
  await consoleOfADeployment();
  await changedEntries();
});

test('a deployment without the setting is told how to turn it on', async () => {
  const without = await startAws('AiLogUpload-test', fixture.names, undefined, log);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', without.environment.AWS_ENDPOINT_URL_CLOUDFORMATION);
  const { exitCode, stderr } = await backfill();
  const report = await onStack('report', '--engine', 'athena');
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', stack.variables.AWS_ENDPOINT_URL_CLOUDFORMATION);
  expect([exitCode, stderr]).toEqual([
    2,
    'AiLogUpload-test has no bucket of feature rows.\nSet analytics of its stage in cdk.json, deploy, and give its name with --stack.\n',
  ]);
  expect(report).toEqual({ exitCode, stdout: '', stderr });
});
