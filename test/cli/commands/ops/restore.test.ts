import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { prepareCopy } from '../../../../cli/store/tables/copyItems.ts';
import { localIdentity } from '../../../../cli/store/targets/data.ts';
import type { ApiKey } from '../../../../functions/auth/apiKeys.ts';
import {
  CALLER_ARN,
  inProcess,
  jsonOf,
  prints,
  runWith,
  says,
  signedUpload,
  startAws,
  world,
} from '../../../setup/world.ts';

const settings = { endpoint: process.env.DYNAMODB_ENDPOINT as string, ...localIdentity };
const client = new DynamoDBClient(settings);

const copyItems = async (db: DynamoDBClient, options: Omit<Parameters<typeof prepareCopy>[1], 'who'>) =>
  (await prepareCopy(db, { ...options, who: async () => 'ops' })).copy();

/** Opens restored tables, with items that the live tables have lost: three entries of a team, and one of another. */
async function open() {
  const [restored, live] = [await world(), await world()];
  const team = await restored.team();
  const transport = inProcess(restored.dependencies());
  for (let i = 0; i < 3; i += 1) await transport.send(signedUpload(team));
  await transport.send(signedUpload(await restored.team()));
  return { restored, live, team };
}

/** The tables of the tests that change nothing. */
const unchanged = await open();
let { restored, live, team } = unchanged;
const useNew = async () => {
  ({ restored, live, team } = await open());
};
beforeEach(() => {
  ({ restored, live, team } = unchanged);
});
const tables = (id: 'aiLogs' | 'allowlist' | 'apiKeys') => ({ from: restored.names[id], to: live.names[id] });

test('missing items come back digit for digit, existing items stay, and a second run changes nothing', async () => {
  await useNew();
  expect(await copyItems(client, { ...tables('aiLogs'), uid: team.uid })).toEqual({ written: 3, kept: 0 });
  const [first] = await live.entriesOf(team.uid);
  await live.db.send(
    new DeleteCommand({ TableName: live.names.aiLogs, Key: { uid: team.uid, entryId: first?.entryId } }),
  );

  expect(await copyItems(client, tables('aiLogs'))).toEqual({ written: 2, kept: 2 });
  expect(await copyItems(client, tables('aiLogs'))).toEqual({ written: 0, kept: 4 });
  const entries = await live.entriesOf(team.uid);
  expect(entries).toEqual(await restored.entriesOf(team.uid));
  expect(jsonOf(entries[0]?.orderId)).toBe('590480926522704171');
});

test('an item that cannot be written is no item that was kept', async () => {
  const failing = new DynamoDBClient(settings);
  failing.middlewareStack.add((next, { commandName }) => async (args) => {
    if (commandName === 'PutItemCommand') throw new Error('not now');
    return next(args);
  });
  await expect(copyItems(failing, tables('aiLogs'))).rejects.toThrow('not now');
});

test('an existing log is replaced only with overwrite', async () => {
  await useNew();
  const [first] = await restored.entriesOf(team.uid);
  const textOf = async () => (await live.entriesOf(team.uid)).find(({ entryId }) => entryId === first?.entryId)?.locale;
  await live.db.send(new PutCommand({ TableName: live.names.aiLogs, Item: { ...first, locale: 'changed' } }));
  await copyItems(client, tables('aiLogs'));
  expect(await textOf()).toBe('changed');
  await copyItems(client, { ...tables('aiLogs'), overwrite: true });
  expect(await textOf()).toBe(first?.locale);
});

describe('a copy gives no right back in silence', () => {
  const get = async (TableName: string, Key: object) =>
    (await live.db.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

  test('a disqualified team and a revoked key stay what they are, with their histories', async () => {
    await useNew();
    await live.allowlist.put({ uid: team.uid, status: 'disqualified' });
    const key = await restored.apiKeys.get(team.accessKey);
    await live.apiKeys.put({ ...(key as ApiKey), status: 'revoked' });
    const before = [
      await get(live.names.allowlist, { uid: team.uid }),
      await get(live.names.apiKeys, { accessKey: team.accessKey }),
    ];
    for (const id of ['allowlist', 'apiKeys'] as const) {
      const { from, to } = tables(id);
      expect(await restore('--from', from, '--to', to, '--overwrite', '--yes')).toEqual(
        says(
          2,
          `Only logs can be replaced. An older item of ${to} would undo what was decided since, and its history.\nLeave out --overwrite, or change it with its own command: docs/runbook/restore.md.\n`,
        ),
      );
      await copyItems(client, tables(id));
    }
    expect([
      await get(live.names.allowlist, { uid: team.uid }),
      await get(live.names.apiKeys, { accessKey: team.accessKey }),
    ]).toEqual(before);
  });

  test('one that was deleted comes back after a question, and its history says who brought it back', async () => {
    await useNew();
    const aws = await startAws('AiLogUpload-test', live.names);
    const { uid, accessKey } = await restored.team();
    for (const [id, key] of [
      ['allowlist', { uid }],
      ['apiKeys', { accessKey }],
    ] as const) {
      const { from, to } = tables(id);
      const args = ['--from', from, '--to', to, '--uid', uid];
      expect(await restore(...args)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/come back as they were/),
      });
      expect(await get(to, key)).toBeUndefined();
      const both = { ...aws.environment, ...live.environment };
      expect(await runWith(both, ['ops', 'restore', ...args, '--yes'])).toMatchObject({ exitCode: 0 });
      const why = `restored from ${from}`;
      const { history, ...item } = (await get(to, key)) ?? {};
      const { history: earlier } = (await get(from, key)) ?? {};
      expect(history.slice(0, -1)).toEqual(earlier);
      expect(history.at(-1)).toMatchObject({ by: CALLER_ARN, to: item.status, why });
      expect(item.updatedBy).toBe(CALLER_ARN);
    }
  });

  test('an item of the table Reviews is not replaced', async () => {
    const { from, to } = { from: restored.names.reviews, to: live.names.reviews };
    expect(await restore('--from', from, '--to', to, '--overwrite', '--yes')).toMatchObject({ exitCode: 2 });
  });
});

/** Runs the command with the endpoint of AWS that its environment names. */
const restore = (...args: string[]) => runWith(live.environment, ['ops', 'restore', ...args]);

test('ailog ops restore prints the counts', async () => {
  await useNew();
  const { from, to } = tables('aiLogs');
  const args = ['--from', from, '--to', to, '--uid', team.uid];
  await restore(...args);
  expect(await restore(...args)).toEqual(prints(`Written to ${to}: 0. Left unchanged because they exist: 3.\n`));
  const { stdout } = await restore(...args, '--overwrite', '--yes', '--json');
  expect(JSON.parse(stdout)).toEqual({ written: 3, kept: 0 });
  const dry = await restore(...args, '--overwrite', '--dry-run');
  expect(dry.stdout).toBe(
    `Items of ${from} would be written to ${to}, those of UID ${team.uid}.\nItems that exist there would be replaced.\n`,
  );
  expect((await restore(...args, '--overwrite')).stderr).toMatch(/^Replace the items of .*--yes/s);
});

test('--region and --profile choose the account of the tables', async () => {
  await useNew();
  const { from, to } = tables('aiLogs');
  const folder = mkdtempSync(join(tmpdir(), 'aws-'));
  writeFileSync(join(folder, 'credentials'), '[ops]\naws_access_key_id = local\naws_secret_access_key = local\n');
  writeFileSync(join(folder, 'config'), '');
  const { AWS_ENDPOINT_URL_DYNAMODB } = live.environment;
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB,
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const names = ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  const variables = { ...Object.fromEntries(names.map((name) => [name, undefined])), ...environment };
  const run = async (...args: string[]) =>
    (await runWith(variables, ['ops', 'restore', '--from', from, '--to', to, ...args])).exitCode;
  expect(await run('--region', 'local', '--profile', 'ops')).toBe(0);
  expect(await run('--profile', 'ops')).not.toBe(0);
  expect(await run('--region', 'local')).not.toBe(0);
});

test('the table ReceiptKeys is not restored, and stays as it is', async () => {
  const { Item } = await live.db.send(
    new GetCommand({ TableName: live.names.receiptKeys, Key: { id: 'localhost/ailog/receipt-key/1' } }),
  );
  expect(await restore('--from', restored.names.receiptKeys, '--to', live.names.receiptKeys, '--overwrite')).toEqual(
    says(
      2,
      `Table ${live.names.receiptKeys} is the table ReceiptKeys. The transparency log cannot be rolled back: its keys and its floor would contradict it.\ndocs/runbook/tlog.md says what to do instead.\n`,
    ),
  );
  const after = await live.db.send(
    new GetCommand({ TableName: live.names.receiptKeys, Key: { id: 'localhost/ailog/receipt-key/1' } }),
  );
  expect(after.Item).toEqual(Item);
});

test.each<[string, () => string[], string | RegExp]>([
  [
    'a table that does not exist',
    () => ['--from', 'gone', '--to', live.names.aiLogs],
    'There is no table gone.\nCheck its name, the region and the account.\n',
  ],
  [
    'two tables with different keys',
    () => ['--from', restored.names.allowlist, '--to', live.names.aiLogs],
    /^Table \S+ has the key uid, table \S+ has uid, entryId\.\nCopy a restored table into /,
  ],
])('%s: a sentence and advice, exit code 2', async (_, args, stderr) => {
  const wanted = typeof stderr === 'string' ? stderr : expect.stringMatching(stderr);
  expect(await restore(...args())).toEqual(says(2, wanted));
});
