import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  DeleteTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Team } from '../setup/fixture.ts';
import { signedUpload } from '../setup/upload.ts';
import { ailogOf } from './ailog.ts';
import { cdkFor, type Deployed } from './cdk.ts';
import { type Emulator, emulatorHome, startEmulator } from './emulator.ts';
import { send } from './send.ts';

/**
 * Rehearses docs/runbook/restore.md as far as the emulator allows. The emulator restores the current state of a table,
 * whatever point in time is requested, so this test deletes an entry after the restore instead of before. The emulator
 * also ignores the setting that turns on recovery: test/infra/storage/tables.test.ts checks it in the template.
 */
const ministack = inject('ministack');
const home = await emulatorHome();
let emulator: Emulator;
let deployed: Deployed;
let ailog: ReturnType<typeof ailogOf>;
let db: DynamoDBClient;
let team: Team;
let before: string[];

beforeAll(async () => {
  if ('missing' in ministack) return;
  emulator = await startEmulator(home);
  const cdk = cdkFor(emulator);
  await cdk.bootstrap();
  deployed = await cdk.deploy();
  ailog = ailogOf(emulator, deployed);
  db = new DynamoDBClient(emulator.client);
  await ailog.allow('42');
  team = await ailog.issueKey('42');
  for (let i = 0; i < 3; i += 1) await send(deployed.baseUrl, signedUpload(team));
  before = await ailog.exportLogs('42');
});
beforeEach(({ skip }) => {
  if ('missing' in ministack) skip(ministack.missing);
});
afterAll(async () => {
  await emulator?.stop();
  home.remove();
});

const restored = 'Restored-AiLogs';

test('lost entries are copied back from a restored table and still verify', async () => {
  await db.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: deployed.tables.aiLogs,
      TargetTableName: restored,
      UseLatestRestorableTime: true,
    }),
  );
  await waitUntilTableExists({ client: db, maxWaitTime: 60 }, { TableName: restored });
  const [lost] = before;
  await DynamoDBDocumentClient.from(db).send(
    new DeleteCommand({
      TableName: deployed.tables.aiLogs,
      Key: { uid: '42', entryId: JSON.parse(lost as string).entryId },
    }),
  );
  await send(deployed.baseUrl, signedUpload(team));
  expect(await ailog.exportLogs('42')).toHaveLength(3);

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      fileURLToPath(new URL('../../cli/main.ts', import.meta.url)),
      ...['ops', 'restore', '--from', restored, '--to', deployed.tables.aiLogs],
    ],
    { env: emulator.environment, timeout: 60_000 },
  );

  expect(stdout).toBe(`Written to ${deployed.tables.aiLogs}: 1. Left unchanged because they exist: 2.\n`);
  const after = await ailog.exportLogs('42');
  expect(after.slice(0, 3)).toEqual(before);
  const verdicts = await ailog.verifyLogs('42');
  expect(verdicts.map(({ ok, checks }) => [ok, checks.signature])).toEqual(Array(4).fill([true, 'ok']));
});

test('uploads continue after the restored table is deleted', async () => {
  await db.send(new DeleteTableCommand({ TableName: restored }));
  expect((await send(deployed.baseUrl, signedUpload(team))).json.code).toBe('00000');
});
