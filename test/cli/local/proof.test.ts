import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { localIdentity, localTables } from '../../../cli/store/targets/data.ts';
import { runCommand } from '../../setup/commandLine.ts';
import { logText } from '../../setup/upload.ts';
import { demoOf, newFolder, paste, sendLog, start } from './service.ts';

/** The proof of uploads from end to end, as a person follows it after `npm start`: the tests continue each other. */
const folder = newFolder();
const service = await start(folder);
const ailog = (...args: string[]) => runCommand(args, { cwd: folder });

/** Uploads a log, and keeps its receipt in a file. @returns the entry id */
async function upload(receipt: string, output: Record<string, unknown> = {}): Promise<string> {
  const { headers } = await sendLog(folder, { output });
  writeFileSync(join(folder, receipt), headers.get('AI-LOG-RECEIPT') as string);
  return headers.get('AI-LOG-ID') as string;
}

const edited = await upload('edited.receipt', { order: 'buy 10' });
const deleted = await upload('deleted.receipt');
const backdated = await upload('backdated.receipt');
let first: string;
afterAll(() => service.stop());

test("the README's first upload gets a receipt, which verifies offline", async () => {
  paste(folder, service.output().replace('curl', 'curl -D headers.txt'));
  const headers = new Headers(
    readFileSync(join(folder, 'headers.txt'), 'utf8')
      .split('\r\n')
      .slice(1, -2)
      .map((line) => line.split(': ') as [string, string]),
  );
  first = headers.get('AI-LOG-ID') as string;
  writeFileSync(join(folder, 'first.txt'), headers.get('AI-LOG-RECEIPT') as string);
  const { exitCode, stdout } = await ailog('verify', 'first.txt', '--policy', '.local/tlog.policy');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(first)]);
  expect(stdout).toContain('the service of localhost/ailog accepted the entry');
});

test('it is proven after a few seconds, and the proof verifies offline', async () => {
  const prove = async () => (await ailog('prove', first, '-o', 'first')).exitCode;
  await expect.poll(prove, { interval: 500 }).toBe(0);
  expect(await ailog('verify', 'first.tlog-proof', '--policy', '.local/tlog.policy')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('the entry is in the transparency log of localhost/ailog, at index'),
  });
});

test('the audit names the entries that are then edited, deleted and backdated in the table', async () => {
  const untouched = await ailog('tlog', 'audit');
  expect(untouched.stderr).toContain('The log is consistent, and so are the tables with it.\n');
  expect(untouched.exitCode).toBe(0);

  const endpoint = demoOf(folder).AILOG_DYNAMODB_ENDPOINT;
  const db = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, ...localIdentity }));
  const row = (entryId: string) => ({ TableName: localTables.aiLogs, Key: { uid: '1001', entryId } });
  const body = Buffer.from(logText({ output: { order: 'buy 99' } }));
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  await db.send(
    new UpdateCommand({
      ...row(edited),
      UpdateExpression: 'SET body = :body, bodySha256 = :bodySha256',
      ExpressionAttributeValues: { ':body': zstdCompressSync(body), ':bodySha256': bodySha256 },
    }),
  );
  await db.send(new DeleteCommand(row(deleted)));
  await db.send(
    new UpdateCommand({
      ...row(backdated),
      UpdateExpression: 'SET receivedAt = receivedAt - :tenMinutes',
      ExpressionAttributeValues: { ':tenMinutes': 600_000 },
    }),
  );

  const { exitCode, stdout } = await ailog('tlog', 'audit', '--known', 'edited.receipt', '--known', 'deleted.receipt');
  const named = [...stdout.matchAll(/^ {2}UID 1001 (\S+): (.*)$/gm)].map(([, entryId = '', problem]) => [
    entryId,
    problem,
  ]);
  expect(Object.fromEntries(named)).toEqual({
    [edited]: expect.stringMatching(new RegExp(`bodySha256 was "\\w+", and is "${bodySha256}"\\.$`)),
    [deleted]: expect.stringMatching(/no row of the table has it\.$/),
    [backdated]: expect.stringMatching(/^Logged at index \d+, and changed since\. An earlier export/),
  });
  expect(named).toHaveLength(3);
  expect(exitCode).toBe(1);
});
