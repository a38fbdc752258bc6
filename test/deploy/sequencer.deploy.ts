import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetPublicKeyCommand } from '@aws-sdk/client-kms';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { DeleteCommand, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Entry } from '../../functions/ailog/entry.ts';
import { rawPublicKey } from '../../functions/c2sp/ed25519.ts';
import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { parseReceipt } from '../../functions/receipts/receiptFormat.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { receiptKeyPath } from '../../functions/tlog/paths.ts';
import { openReceiptKey } from '../../functions/tlog/receiptKeyNote.ts';
import { signedUpload } from '../setup/upload.ts';
import { useDeployment } from './deployment.ts';
import { createRetainedTable } from './retainedTable.ts';
import { send } from './send.ts';

/**
 * The transparency log of a deployed stack, which adopts a table of AI logs that a deleted stack left. Its entries are
 * older than the log.
 */
const RETAINED_ENTRIES = 300;

const stack = await useDeployment(async (emulator) => ({
  tlogOrigin: 'logs.example.com/ailog-2',
  adoptTables: `AiLogs=${await createRetainedTable(new DynamoDBClient(emulator.client), RETAINED_ENTRIES)}`,
}));
let before: Record<string, unknown>[];

const read = async <Item>(TableName: string, Key: Record<string, unknown>) =>
  (await stack.db.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item as Item;
const entries = async () => {
  const { Items = [] } = await stack.db.send(
    new ScanCommand({ TableName: stack.deployed.tables.aiLogs, ConsistentRead: true }),
  );
  return Items.sort((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1));
};
const file = async (path: string) => {
  const { tlogBucket: Bucket, tlogOrigin } = stack.deployed;
  const { Body } = await stack.s3.send(new GetObjectCommand({ Bucket, Key: `${tlogOrigin}/${path}` }));
  return (await Body?.transformToByteArray()) as Uint8Array;
};
const leafHex = (entry: Entry) => entryHashOf(entryPreimage(entry)).toString('hex');

async function checkpointKey() {
  const { PublicKey } = await stack.kms.send(new GetPublicKeyCommand({ KeyId: stack.deployed.checkpointKeyArns }));
  return verifierKey(stack.deployed.tlogOrigin, rawPublicKey(PublicKey as Uint8Array));
}

/** Opens the published checkpoint. */
async function openNewest() {
  const logs = [{ key: await checkpointKey() }];
  const policy = { logs, receipts: [], witnesses: new Map(), quorum: { threshold: 0, members: [] } };
  return openCheckpoint(Buffer.from(await file('checkpoint')).toString(), policy);
}

/** The leaves of the published log, in hex. */
async function leaves(): Promise<string[]> {
  const { size } = await openNewest();
  const bundles = await Promise.all(
    [...bundlesFrom(0, size)].map(async (tile) => readBundle(await file(tilePath(tile)), tile.width)),
  );
  return bundles.flat().map((leaf) => leaf.toString('hex'));
}

beforeAll(async () => {
  if (stack.isHere) before = await entries();
});

test('a table that is older than the log: each of its entries comes into the log once, and none is changed', async () => {
  await vi.waitFor(
    async () => {
      expect(await stack.runSequencer()).toBeUndefined();
      expect(await leaves()).toHaveLength(RETAINED_ENTRIES);
    },
    { timeout: 60_000, interval: 1000 },
  );
  const retained = before.map((item) => leafHex(item as unknown as Entry));
  const logged = (await leaves()).filter((leaf) => retained.includes(leaf));
  expect(logged.toSorted()).toEqual(retained.toSorted());
  expect((await entries()).filter(({ accessKey }) => accessKey === 'ailog_old')).toEqual(before);
});

describe('an upload', () => {
  let receipt: string;
  let entry: Entry;
  /** The ids of earlier uploads, which are changed later. */
  const ids: string[] = [];

  beforeAll(async () => {
    if (!stack.isHere) return;
    for (let upload = 0; upload < 3; upload += 1) {
      const { headers } = await send(stack.deployed.baseUrl, signedUpload(stack.team));
      ids.push(headers.get('AI-LOG-ID') as string);
    }
  });

  test('gets a receipt, and an identical resend gets the same one', async () => {
    const note = Buffer.from(await file(receiptKeyPath(1))).toString();
    const { key } = openReceiptKey(note, [await checkpointKey()]);
    const upload = signedUpload(stack.team);
    const answers: Awaited<ReturnType<typeof send>>[] = [];
    await vi.waitFor(
      async () => {
        answers.push(await send(stack.deployed.baseUrl, upload));
        expect(answers.at(-1)?.headers.get('AI-LOG-RECEIPT')).toBeTruthy();
      },
      { timeout: 25_000, interval: 1000 },
    );
    answers.push(await send(stack.deployed.baseUrl, upload), await send(stack.deployed.baseUrl, upload));
    const receipts = new Set(answers.map(({ headers }) => headers.get('AI-LOG-RECEIPT')).filter((one) => one !== null));
    expect(receipts.size).toBe(1);
    receipt = Buffer.from([...receipts][0] as string, 'base64').toString();
    expect(verifyNote(parseNote(receipt), [key])).toHaveLength(1);
    const { uid, entryId } = parseReceipt(parseNote(receipt).text);
    entry = await read<Entry>(stack.deployed.tables.aiLogs, { uid, entryId });
    expect(leafHex(entry)).toBe(parseReceipt(parseNote(receipt).text).entryHash);
  });

  test('is in the log after the next runs, under a checkpoint that opens', async () => {
    const { size } = await openNewest();
    await vi.waitFor(
      async () => {
        expect(await stack.runSequencer()).toBeUndefined();
        expect(await leaves()).toContain(parseReceipt(parseNote(receipt).text).entryHash);
      },
      { timeout: 90_000, interval: 5000 },
    );
    expect((await openNewest()).size).toBeGreaterThan(size);
  });

  test('has a receipt, a proof and a statement that verify offline', async () => {
    await stack.ailog.onStack('tlog', 'export-policy', '-o', 'tlog.policy');
    const verify = (...args: string[]) => stack.ailog.offline('verify', ...args, '--policy', 'tlog.policy');
    writeFileSync(join(stack.folder, 'header.receipt'), Buffer.from(receipt).toString('base64'));
    expect(await verify('header.receipt')).toContain(`${stack.deployed.tlogOrigin} accepted it, and promised`);

    await stack.ailog.onStack('statement', '--entry', entry.entryId, '-o', 'entry.statement');
    expect(await verify('entry.statement')).toMatch(/^ {2}proven +it is in the log logs\.example\.com/m);

    await stack.ailog.onStack('statement', '--uid', stack.team.uid, '-o', 'team.statement');
    expect(await verify('team.statement', '--verbose')).toContain(entry.entryId);
  });

  test('is in a log that is in order, and that contradicts no table', async () => {
    const status = JSON.parse(await stack.ailog.onStack('tlog', 'status', '--json'));
    expect(status).toMatchObject({ origin: stack.deployed.tlogOrigin, quorum: true });
    const { code, figures, names } = await stack.ailog.audit('--policy', 'tlog.policy');
    expect(names).toEqual([]);
    expect([code, figures.unchecked]).toEqual([0, []]);
    expect([figures.rows, figures.logged]).toEqual([status.size, status.size]);
  });

  test('cannot be edited, deleted or backdated in the table without the audit naming it', async () => {
    const [edited, deleted, backdated] = ids as [string, string, string];
    await stack.ailog.onStack('logs', 'export', '--uid', stack.team.uid, '-o', 'before.jsonl');
    const row = (entryId: string) => ({
      TableName: stack.deployed.tables.aiLogs,
      Key: { uid: stack.team.uid, entryId },
    });
    const set = (entryId: string, name: string, value: unknown) =>
      stack.db.send(
        new UpdateCommand({
          ...row(entryId),
          UpdateExpression: 'SET #name = :value',
          ExpressionAttributeNames: { '#name': name },
          ExpressionAttributeValues: { ':value': value },
        }),
      );
    await set(edited, 'sourceIp', '203.0.113.9');
    await stack.db.send(new DeleteCommand(row(deleted)));
    await set(backdated, 'receivedAt', Number(backdated.slice(0, 13)) - 600_000);

    const { code, names, problems } = await stack.ailog.audit('--policy', 'tlog.policy', '--known', 'before.jsonl');
    expect(names).toEqual([`edited 42 ${edited}`, `edited 42 ${backdated}`, `removed 42 ${deleted}`].sort());
    for (const name of ['sourceIp', 'receivedAt']) expect(problems).toContain(`${name} was `);
    expect(code).toBe(1);
  });
});
