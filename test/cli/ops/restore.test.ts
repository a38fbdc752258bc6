import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { copyBack } from '../../../cli/ops/restore.ts';
import { type Fixture, openFixture, type Team } from '../../setup/fixture.ts';
import { inProcess } from '../../setup/transports.ts';
import { jsonOf, signedUpload } from '../../setup/upload.ts';

const client = new DynamoDBClient({
  endpoint: process.env.DYNAMODB_ENDPOINT as string,
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** The tables as they were restored, with what the live ones have lost. */
let restored: Fixture;
let live: Fixture;
let team: Team;
beforeAll(async () => {
  restored = await openFixture();
  live = await openFixture();
  team = await restored.team();
  const transport = inProcess(restored.dependencies());
  for (let i = 0; i < 3; i += 1) await transport.send(signedUpload(team));
  await transport.send(signedUpload(await restored.team()));
});
const tables = (id: 'aiLogs' | 'allowlist') => ({ from: restored.names[id], to: live.names[id] });

test('what is missing comes back digit for digit, what is there stays, and a second run changes nothing', async () => {
  expect(await copyBack(client, { ...tables('aiLogs'), uid: team.uid })).toEqual({ written: 3, kept: 0 });
  const [first] = await live.entriesOf(team.uid);
  await live.db.send(
    new DeleteCommand({ TableName: live.names.aiLogs, Key: { uid: team.uid, entryId: first?.entryId } }),
  );

  expect(await copyBack(client, tables('aiLogs'))).toEqual({ written: 2, kept: 2 });
  expect(await copyBack(client, tables('aiLogs'))).toEqual({ written: 0, kept: 4 });
  const entries = await live.entriesOf(team.uid);
  expect(entries).toEqual(await restored.entriesOf(team.uid));
  expect(jsonOf(entries[0]?.orderId)).toBe('590480926522704171');
});

test('a wrong item is put right only where overwriting is asked for', async () => {
  const statusOf = async () => {
    const { Item } = await live.db.send(
      new GetCommand({ TableName: live.names.allowlist, Key: { uid: team.uid }, ConsistentRead: true }),
    );
    return Item?.status;
  };
  await live.allowlist.put({ uid: team.uid, status: 'disqualified' });

  await copyBack(client, { ...tables('allowlist'), uid: team.uid });
  expect(await statusOf()).toBe('disqualified');
  await copyBack(client, { ...tables('allowlist'), uid: team.uid, overwrite: true });
  expect(await statusOf()).toBe('approved');
});

test.each([
  ['no table', () => [], 'Say --from RESTORED_TABLE and --to LIVE_TABLE.'],
  ['one that does not exist', () => ['--from', 'gone', '--to', live.names.aiLogs], 'There is no table gone here.'],
  [
    'two of different keys',
    () => ['--from', restored.names.allowlist, '--to', live.names.aiLogs],
    /^Table \S+ has the key uid, table \S+ has uid, entryId\.$/,
  ],
])('%s: one sentence, exit code 2', async (_, args, sentence) => {
  const run = promisify(execFile)(
    process.execPath,
    [fileURLToPath(new URL('../../../cli/ops/restore.ts', import.meta.url)), ...args()],
    { env: live.environment },
  );
  const { code, stderr } = await run.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(2);
  expect(stderr.trim()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
});
