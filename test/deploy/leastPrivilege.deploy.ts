import { EncryptCommand } from '@aws-sdk/client-kms';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TableId } from '../../infra/tables.ts';
import { signedUpload } from '../setup/upload.ts';
import { clientsOf } from './clients.ts';
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
  let own: ReturnType<typeof clientsOf>;

  beforeAll(async () => {
    if (stack.isHere) own = clientsOf(await role.assume());
  });

  const uid = { uid: '42' };
  test('the calls of an upload are allowed', async () => {
    const { Item } = await own.db.send(new GetCommand({ TableName: stack.deployed.tables.allowlist, Key: uid }));
    expect(Item).toMatchObject({ status: 'approved' });
  });

  const anEntry = { ...uid, entryId: '1' };
  const set = { UpdateExpression: 'SET note = :n', ExpressionAttributeValues: { ':n': 1 } };
  const ofUid = { KeyConditionExpression: 'uid = :uid', ExpressionAttributeValues: { ':uid': '42' } };
  const denied = { name: expect.stringMatching(/^AccessDenied/) };
  // biome-ignore format: one case a line
  test.each<[string, TableId, (TableName: string) => object]>([
    ['to read an entry', 'aiLogs', (TableName) => new GetCommand({ TableName, Key: anEntry })],
    ['to query entries', 'aiLogs', (TableName) => new QueryCommand({ TableName, ...ofUid })],
    ['to change an entry', 'aiLogs', (TableName) => new UpdateCommand({ TableName, Key: anEntry, ...set })],
    ['to delete an entry', 'aiLogs', (TableName) => new DeleteCommand({ TableName, Key: anEntry })],
    ['to list the teams', 'allowlist', (TableName) => new ScanCommand({ TableName })],
    ['to approve a UID', 'allowlist', (TableName) => new PutCommand({ TableName, Item: { ...uid, status: 'approved' } })],
    ['to edit the allowlist', 'allowlist', (TableName) => new UpdateCommand({ TableName, Key: uid, ...set })],
    ['to remove a UID', 'allowlist', (TableName) => new DeleteCommand({ TableName, Key: uid })],
    ['to list the keys', 'apiKeys', (TableName) => new ScanCommand({ TableName })],
    ['to find the keys of a UID', 'apiKeys', (TableName) => new QueryCommand({ TableName, IndexName: 'byUid', ...ofUid })],
    ['to make a key', 'apiKeys', (TableName) => new PutCommand({ TableName, Item: { accessKey: 'a', ...uid } })],
    ['to read a weight', 'weights', (TableName) => new GetCommand({ TableName, Key: { subjectWindow: 'a' } })],
    ['to reset a weight', 'weights', (TableName) => new DeleteCommand({ TableName, Key: { subjectWindow: 'a' } })],
  ])('%s is denied', async (_, table, command) => {
    const call = own.db.send(command(stack.deployed.tables[table]) as GetCommand);
    await expect(call).rejects.toMatchObject(denied);
  });

  test('to seal credentials is denied', async () => {
    const seal = new EncryptCommand({ KeyId: stack.deployed.credentialsKeyArn, Plaintext: Buffer.from('{}') });
    await expect(own.kms.send(seal)).rejects.toMatchObject(denied);
  });
});
