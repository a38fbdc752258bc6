import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { localIdentity, localTables } from '../../../cli/store/targets/data.ts';
import { logText, runCommand } from '../../setup/world.ts';
import { demoOf, newFolder, paste, sendLog, start } from './service.ts';

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
afterAll(() => service.stop());

test('the first upload of README is proven, and the audit names what is then changed in the table', async () => {
  // It gets a receipt, which verifies offline.
  paste(folder, service.output().replace('curl', 'curl -D headers.txt'));
  const headers = new Headers(
    readFileSync(join(folder, 'headers.txt'), 'utf8')
      .split('\r\n')
      .slice(1, -2)
      .map((line) => line.split(': ') as [string, string]),
  );
  const first = headers.get('AI-LOG-ID') as string;
  writeFileSync(join(folder, 'first.txt'), headers.get('AI-LOG-RECEIPT') as string);
  const received = await ailog('verify', 'first.txt', '--policy', '.local/tlog.policy');
  expect([received.exitCode, received.stdout]).toEqual([0, expect.stringContaining(first)]);

  // It is in the log after a few seconds, and the proof verifies offline.
  let made = 0;
  const state = async () => {
    made += 1;
    await ailog('statement', '--entry', first, '-o', `first${made}`);
    return (await ailog('verify', `first${made}`, '--policy', '.local/tlog.policy')).exitCode;
  };
  await expect.poll(state, { interval: 500 }).toBe(0);
  const proven = await ailog('verify', `first${made}`, '--policy', '.local/tlog.policy');
  expect(proven.stdout).toMatch(/^ok +first/m);

  // The audit names the entries that are then edited, deleted and backdated.
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

  const known = ['--known', 'edited.receipt', '--known', 'deleted.receipt'];
  const { exitCode, stdout } = await ailog('tlog', 'audit', ...known, '--json');
  const { findings } = JSON.parse(stdout) as { findings: { kind: string; entryId: string }[] };
  expect(findings.map(({ kind, entryId }) => [kind, entryId]).sort()).toEqual(
    [
      ['edited', edited],
      ['edited', backdated],
      ['removed', deleted],
    ].sort(),
  );
  expect(exitCode).toBe(1);
});
