import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { signedUpload } from '../setup/upload.ts';
import { useDeployment } from './deployment.ts';
import { openRole, withoutAction } from './role.ts';
import { send } from './send.ts';

const stack = await useDeployment(undefined, { enforcesPolicies: true });
let role: Awaited<ReturnType<typeof openRole>>;

/**
 * The policy without its only condition, which requires an encryption context. The emulator does not support
 * `kms:EncryptionContext:…` in policies, so no request would meet it. test/infra/stack.test.ts checks the condition
 * itself.
 */
const unconditional = () => role.statements.map(({ Condition: _, ...statement }) => statement);

/**
 * Uploads twice with a new key. The function reads the key and its owner one after the other first, and with one
 * BatchGetItem when it has the owner in memory.
 * @returns status and code of the last response, or of the first that is no success
 */
async function tryUploads(): Promise<string> {
  const team = await stack.ailog.issueKey('42');
  const upload = async () => {
    const { status, json } = await send(stack.deployed.baseUrl, signedUpload(team));
    return `${status} ${json.code}`;
  };
  const first = await upload();
  return first === '200 00000' ? upload() : first;
}

beforeAll(async () => {
  if (stack.isHere) role = await openRole(stack.emulator, '-upload');
});

describe('the role of the function', () => {
  test('cannot decrypt credentials if a request has no encryption context', async () => {
    expect(await tryUploads()).toBe('500 40015');
  });

  test('is sufficient for an upload', async () => {
    await role.put(unconditional());
    expect(await tryUploads()).toBe('200 00000');
  });

  test.each(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:PutItem', 'kms:Decrypt'])(
    'is not sufficient without %s',
    async (action) => {
      await role.put(withoutAction(unconditional(), action));
      expect(await tryUploads()).toBe('500 40015');
      await role.put(unconditional());
      expect(await tryUploads()).toBe('200 00000');
    },
  );
});

describe('with the role of the function', () => {
  let db: DynamoDBDocumentClient;
  let kms: KMSClient;
  const names = () => stack.deployed.tables;

  beforeAll(async () => {
    if (!stack.isHere) return;
    const client = await role.assume();
    db = DynamoDBDocumentClient.from(new DynamoDBClient(client));
    kms = new KMSClient(client);
  });

  test('the calls of an upload are allowed', async () => {
    const { Item } = await db.send(new GetCommand({ TableName: names().allowlist, Key: { uid: '42' } }));
    expect(Item).toMatchObject({ status: 'approved' });
  });

  const anEntry = { uid: '42', entryId: '1' };
  const set = { UpdateExpression: 'SET note = :n', ExpressionAttributeValues: { ':n': 1 } };
  const ofUid = { KeyConditionExpression: 'uid = :uid', ExpressionAttributeValues: { ':uid': '42' } };
  test.each<[string, () => Promise<unknown>]>([
    ['to read an entry', () => db.send(new GetCommand({ TableName: names().aiLogs, Key: anEntry }))],
    ['to query entries', () => db.send(new QueryCommand({ TableName: names().aiLogs, ...ofUid }))],
    ['to change an entry', () => db.send(new UpdateCommand({ TableName: names().aiLogs, Key: anEntry, ...set }))],
    ['to delete an entry', () => db.send(new DeleteCommand({ TableName: names().aiLogs, Key: anEntry }))],
    ['to list the teams', () => db.send(new ScanCommand({ TableName: names().allowlist }))],
    [
      'to approve a UID',
      () => db.send(new PutCommand({ TableName: names().allowlist, Item: { uid: '43', status: 'approved' } })),
    ],
    [
      'to edit the allowlist',
      () => db.send(new UpdateCommand({ TableName: names().allowlist, Key: { uid: '42' }, ...set })),
    ],
    ['to remove a UID', () => db.send(new DeleteCommand({ TableName: names().allowlist, Key: { uid: '42' } }))],
    ['to list the keys', () => db.send(new ScanCommand({ TableName: names().apiKeys }))],
    [
      'to find the keys of a UID',
      () => db.send(new QueryCommand({ TableName: names().apiKeys, IndexName: 'byUid', ...ofUid })),
    ],
    [
      'to make a key',
      () => db.send(new PutCommand({ TableName: names().apiKeys, Item: { accessKey: 'a', uid: '42' } })),
    ],
    ['to read a weight', () => db.send(new GetCommand({ TableName: names().weights, Key: { subjectWindow: 'a' } }))],
    [
      'to reset a weight',
      () => db.send(new DeleteCommand({ TableName: names().weights, Key: { subjectWindow: 'a' } })),
    ],
    [
      'to seal credentials',
      () => kms.send(new EncryptCommand({ KeyId: stack.deployed.credentialsKeyArn, Plaintext: Buffer.from('{}') })),
    ],
  ])('%s is denied', async (_, call) => {
    const denial = await call().catch((error: unknown) => error);
    expect(denial).toMatchObject({ name: expect.stringMatching(/^AccessDenied/) });
  });
});
