import { DecryptCommand, SignCommand } from '@aws-sdk/client-kms';
import { ListFunctionsCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  GetObjectRetentionCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { s3Storage } from '../../functions/sequencer/s3Storage.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { HASHED_ATTRIBUTES, type HashedAttributes } from '../../functions/tlog/entryHash.ts';
import { synth } from '../infra/synth.ts';
import { signedUpload } from '../setup/upload.ts';
import { clientsOf } from './clients.ts';
import { useDeployment } from './deployment.ts';
import { openRole, type Statement, withoutAction } from './role.ts';
import { send } from './send.ts';

/**
 * The actions without which the sequencer cannot do its work, each in the run that needs it. A run needs
 * `s3:ListBucket` on AWS only: the emulator tells a missing file from a forbidden one without it. A test below calls it
 * directly.
 */
const ACTIONS = [
  'dynamodb:Query',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  's3:GetObject',
  's3:PutObject',
  'kms:Sign',
  'kms:GetPublicKey',
  'kms:GenerateDataKeyPairWithoutPlaintext',
] as const;

const stack = await useDeployment(undefined, { enforcesPolicies: true });
let role: Awaited<ReturnType<typeof openRole>>;

/**
 * The policy without the conditions of KMS. The emulator does not know `kms:EncryptionContext:…` and the other keys of
 * KMS in policies, so no request would meet them. test/infra/tlog.test.ts checks them in the template.
 */
const emulated = (statements: readonly Statement[]): Statement[] =>
  statements.map(({ Condition, ...statement }) =>
    Condition === undefined || [statement.Action].flat().some((action) => action.startsWith('kms:'))
      ? statement
      : { ...statement, Condition },
  );

/** The key of a file in the bucket, or the id of an item in the table. */
const keyOf = (path: string): string => `${stack.deployed.tlogOrigin}/${path}`;

let runs = 0;

/**
 * Makes every call of the sequencer necessary: an entry is new, the number of the receipt key is too, and the function
 * starts anew.
 */
async function prepareRun(): Promise<void> {
  runs += 1;
  const receivedAt = Date.now() - 60_000 - runs;
  const attributes = Object.fromEntries(HASHED_ATTRIBUTES.map((name) => [name, String(runs)]));
  const Item = { ...attributes, entryId: `${receivedAt}-${runs}`, receivedAt, bodyBytes: 1, body: new Uint8Array(10) };
  const keys = arrivalKeys(Item as unknown as HashedAttributes);
  await stack.db.send(new PutCommand({ TableName: stack.deployed.tables.aiLogs, Item: { ...Item, ...keys } }));
  const { lambda } = stack;
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand());
  const { FunctionName, Environment } = Functions.find(({ FunctionName: name }) => name?.includes('Sequencer')) ?? {};
  const Variables = { ...Environment?.Variables, RECEIPT_KEY: String(runs + 1) };
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
}

beforeAll(async () => {
  if (stack.isHere) role = await openRole(stack.emulator, '-sequencer');
});

describe('the policy of the bucket', () => {
  test('denies the sequencer to store a file without a condition', async () => {
    const storage = clientsOf(await role.assume()).s3;
    for (const Key of ['tile/0/000', 'commits/0000000001', 'checkpoint'].map(keyOf)) {
      const put = storage.send(new PutObjectCommand({ Bucket: stack.deployed.tlogBucket, Key, Body: 'bytes' }));
      await expect(put).rejects.toMatchObject({ name: 'AccessDenied' });
    }
  });

  /**
   * The emulator knows neither `s3:if-none-match` and `s3:if-match` nor encrypted connections, so it denies every
   * write. The other tests go on with the statements that it can evaluate. test/infra/tlog.test.ts checks all of them.
   */
  test('has statements that the emulator cannot evaluate', async () => {
    const { Policy } = await stack.s3.send(new GetBucketPolicyCommand({ Bucket: stack.deployed.tlogBucket }));
    const { Version, Statement: statements } = JSON.parse(Policy as string);
    const known = statements.filter(({ Sid }: { Sid?: string }) => Sid === 'NoDeletion' || Sid === 'NoExpiry');
    expect(known).toHaveLength(2);
    const policy = JSON.stringify({ Version, Statement: known });
    await stack.s3.send(new PutBucketPolicyCommand({ Bucket: stack.deployed.tlogBucket, Policy: policy }));
  });
});

describe('the role of the sequencer', () => {
  test('is sufficient for a first run', async () => {
    await role.put(emulated(role.statements));
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test('is sufficient for a run that needs everything', async () => {
    await prepareRun();
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test.each(ACTIONS)('is not sufficient without %s', async (action) => {
    await prepareRun();
    await role.put(withoutAction(emulated(role.statements), action));
    expect(await stack.runSequencer()).toMatch(/AccessDenied|not authorized/);
    await role.put(emulated(role.statements));
    expect(await stack.runSequencer()).toBeUndefined();
  });
});

describe('with the role of the sequencer', () => {
  let own: ReturnType<typeof clientsOf>;
  const names = () => stack.deployed.tables;
  const bucket = () => stack.deployed.tlogBucket;

  beforeAll(async () => {
    if (stack.isHere) own = clientsOf(await role.assume());
  });

  const anEntry = { uid: '1', entryId: '1' };
  const set = { UpdateExpression: 'SET note = :n', ExpressionAttributeValues: { ':n': 1 } };
  const ofUid = { KeyConditionExpression: 'uid = :uid', ExpressionAttributeValues: { ':uid': '1' } };

  test('the calls of a run are allowed', async () => {
    const Key = { id: keyOf('floor') };
    expect((await own.db.send(new GetCommand({ TableName: names().receiptKeys, Key }))).Item).toBeDefined();
    const checkpoint = new GetObjectCommand({ Bucket: bucket(), Key: keyOf('checkpoint') });
    expect((await own.s3.send(checkpoint)).ETag).toBeDefined();
  });

  test('the files of the bucket are listed, but not without s3:ListBucket', async () => {
    const list = () => own.s3.send(new ListObjectsV2Command({ Bucket: bucket() }));
    expect((await list()).KeyCount).toBeGreaterThan(0);
    await role.put(withoutAction(emulated(role.statements), 's3:ListBucket'));
    await expect(list()).rejects.toMatchObject({ name: 'AccessDenied' });
    await role.put(emulated(role.statements));
  });

  test.each<[string, () => Promise<unknown>]>([
    ['to read an entry', () => own.db.send(new GetCommand({ TableName: names().aiLogs, Key: anEntry }))],
    ['to read all attributes', () => own.db.send(new ScanCommand({ TableName: names().aiLogs }))],
    [
      'to read bodies',
      () => own.db.send(new ScanCommand({ TableName: names().aiLogs, ProjectionExpression: 'uid, body' })),
    ],
    ['to query entries', () => own.db.send(new QueryCommand({ TableName: names().aiLogs, ...ofUid }))],
    ['to store an entry', () => own.db.send(new PutCommand({ TableName: names().aiLogs, Item: anEntry }))],
    ['to change an entry', () => own.db.send(new UpdateCommand({ TableName: names().aiLogs, Key: anEntry, ...set }))],
    ['to delete an entry', () => own.db.send(new DeleteCommand({ TableName: names().aiLogs, Key: anEntry }))],
    ['to read the allowlist', () => own.db.send(new GetCommand({ TableName: names().allowlist, Key: { uid: '42' } }))],
    ['to read a key', () => own.db.send(new GetCommand({ TableName: names().apiKeys, Key: { accessKey: 'a' } }))],
    [
      'to delete the floor',
      () => own.db.send(new DeleteCommand({ TableName: names().receiptKeys, Key: { id: keyOf('floor') } })),
    ],
    ...['checkpoint', 'commits/0000000001', 'tile/0/000'].map((path): [string, () => Promise<unknown>] => [
      `to delete ${path}`,
      () => own.s3.send(new DeleteObjectCommand({ Bucket: bucket(), Key: keyOf(path) })),
    ]),
    [
      'to shorten a lock',
      () =>
        own.s3.send(
          new PutObjectRetentionCommand({
            Bucket: bucket(),
            Key: keyOf('checkpoint'),
            Retention: { Mode: 'COMPLIANCE', RetainUntilDate: new Date() },
          }),
        ),
    ],
    [
      'to decrypt credentials',
      () =>
        own.kms.send(
          new DecryptCommand({ KeyId: stack.deployed.credentialsKeyArn, CiphertextBlob: Buffer.from('sealed') }),
        ),
    ],
    [
      'to decrypt the receipt key',
      async () => {
        const Key = { id: keyOf('receipt-key/1') };
        const { Item } = await stack.db.send(new GetCommand({ TableName: names().receiptKeys, Key }));
        return own.kms.send(new DecryptCommand({ CiphertextBlob: Item?.sealedPrivateKey }));
      },
    ],
    [
      'to sign with the key of credentials',
      () =>
        own.kms.send(
          new SignCommand({
            KeyId: stack.deployed.credentialsKeyArn,
            Message: Buffer.from('m'),
            SigningAlgorithm: 'ED25519_SHA_512',
          }),
        ),
    ],
  ])('%s is denied', async (_, call) => {
    const denial = await call().catch((error: unknown) => error);
    expect(denial).toMatchObject({ name: expect.stringMatching(/^AccessDenied/) });
  });
});

test('the upload function needs no GetItem on the entries for the receipt of a resend', async () => {
  const upload = await openRole(stack.emulator, '-upload');
  await upload.put(emulated(upload.statements));
  const team = await stack.ailog.issueKey('42');
  const request = signedUpload(team);
  // On AWS this is to be checked first: whether the old item of a failed condition needs GetItem too.
  await vi.waitFor(
    async () => {
      const answers = [await send(stack.deployed.baseUrl, request), await send(stack.deployed.baseUrl, request)];
      const receipts = answers.map(({ headers }) => headers.get('AI-LOG-RECEIPT'));
      expect(receipts[0]).toBeTruthy();
      expect(receipts[1]).toBe(receipts[0]);
    },
    { timeout: 25_000, interval: 1000 },
  );
});

/**
 * The emulator's CloudFormation ignores Object Lock. So this gives the lock of the template to a bucket of its own, and
 * the sequencer's storage writes there.
 */
test('every version of every file is locked as the template says', async () => {
  const { ObjectLockConfiguration } = synth({ stage: 'prod' }).inTlog('AWS::S3::Bucket').Properties;
  const Bucket = 'locked';
  await stack.s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
  await stack.s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
  const storage = s3Storage(stack.s3, Bucket, 'a/log');
  const signal = AbortSignal.timeout(30_000);
  expect(await storage.create('tile/0/000', Buffer.from('bytes'), signal)).toBe('created');
  expect(await storage.create('tile/0/000', Buffer.from('other bytes'), signal)).toBe('different');
  expect(await storage.replace('checkpoint', Buffer.from('1'), undefined, signal)).toBe(true);
  const etag = (await storage.get('checkpoint', signal))?.etag;
  expect(await storage.replace('checkpoint', Buffer.from('2'), etag, signal)).toBe(true);
  expect(await storage.replace('checkpoint', Buffer.from('3'), etag, signal)).toBe(false);

  const { Versions = [] } = await stack.s3.send(new ListObjectVersionsCommand({ Bucket }));
  expect(Versions.map(({ Key }) => Key).sort()).toEqual(['a/log/checkpoint', 'a/log/checkpoint', 'a/log/tile/0/000']);
  for (const { Key, VersionId } of Versions) {
    const { Retention } = await stack.s3.send(new GetObjectRetentionCommand({ Bucket, Key, VersionId }));
    expect(Retention?.Mode).toBe('COMPLIANCE');
    const days = ((Retention?.RetainUntilDate?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(365);
    await expect(stack.s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))).rejects.toThrow();
  }
});
