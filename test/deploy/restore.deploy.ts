import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DeleteTableCommand, RestoreTableToPointInTimeCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { MAIN, signedUpload } from '../setup/world.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

/**
 * Rehearses docs/runbook/restore.md as far as the emulator allows. The emulator restores the current state of a table,
 * whatever point in time is requested, so this test deletes an entry after the restore instead of before. The emulator
 * also ignores the setting that turns on recovery: test/infra/storage/tables.test.ts checks it in the template.
 */
const stack = await useDeployment();
let before: string[];

beforeAll(async () => {
  if (!stack.isHere) return;
  for (let i = 0; i < 3; i += 1) await send(stack.deployed.baseUrl, signedUpload(stack.team));
  before = await stack.ailog.exportLogs('42');
});

const restored = 'Restored-AiLogs';

test('lost entries are copied back from a restored table and still verify', async () => {
  await stack.dynamodb.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: stack.deployed.tables.aiLogs,
      TargetTableName: restored,
      UseLatestRestorableTime: true,
    }),
  );
  await waitUntilTableExists({ client: stack.dynamodb, maxWaitTime: 60 }, { TableName: restored });
  const [lost] = before;
  await stack.db.send(
    new DeleteCommand({
      TableName: stack.deployed.tables.aiLogs,
      Key: { uid: '42', entryId: JSON.parse(lost as string).entryId },
    }),
  );
  await send(stack.deployed.baseUrl, signedUpload(stack.team));
  expect(await stack.ailog.exportLogs('42')).toHaveLength(3);

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, 'ops', 'restore', '--from', restored, '--to', stack.deployed.tables.aiLogs],
    { env: stack.emulator.environment, timeout: 60_000 },
  );

  expect(stdout).toBe(`Written to ${stack.deployed.tables.aiLogs}: 1. Left unchanged because they exist: 2.\n`);
  const after = await stack.ailog.exportLogs('42');
  expect(after.slice(0, 3)).toEqual(before);
  const verdicts = await stack.ailog.verifyLogs('42');
  expect(verdicts.map(({ ok, checks }) => [ok, checks.signature])).toEqual(Array(4).fill([true, 'ok']));
});

test('uploads continue after the restored table is deleted', async () => {
  await stack.dynamodb.send(new DeleteTableCommand({ TableName: restored }));
  expect((await send(stack.deployed.baseUrl, signedUpload(stack.team))).json.code).toBe('00000');
});
