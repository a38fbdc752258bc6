/**
 * The baseline of the cold start: the calls of a first upload and nothing else. It has the clients of the function with
 * the same timeouts, and makes the same calls in the same order: receipt key, caller, credentials, counters, entry,
 * signature.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const timeouts = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1200, socketTimeout: 1200, throwOnRequestTimeout: true },
};
const db = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts));
const kms = new KMSClient(timeouts);
const {
  API_KEYS_TABLE = '',
  ALLOWLIST_TABLE = '',
  WEIGHTS_TABLE,
  AI_LOGS_TABLE,
  TLOG_TABLE,
  TLOG_ORIGIN: origin = '',
} = process.env;

const read = async (TableName: string | undefined, Key: object) =>
  (await db.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item ?? {};
/** Reads a key, and the entry of a UID that no team has: its owner is not known yet. */
const readCaller = async (accessKey: string) => {
  const RequestItems = {
    [API_KEYS_TABLE]: { Keys: [{ accessKey }], ConsistentRead: true },
    [ALLOWLIST_TABLE]: { Keys: [{ uid: '0' }], ConsistentRead: true },
  };
  const { Responses } = await db.send(new BatchGetCommand({ RequestItems }));
  return Responses?.[API_KEYS_TABLE]?.[0] ?? {};
};
const decrypt = async (
  CiphertextBlob: Uint8Array,
  KeyId: string | undefined,
  EncryptionContext: Record<string, string>,
) => (await kms.send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }))).Plaintext as Uint8Array;
const count = (subject: string) =>
  db.send(
    new UpdateCommand({
      TableName: WEIGHTS_TABLE,
      Key: { subjectWindow: subject },
      UpdateExpression: 'ADD used :weight SET expiresAt = :expiresAt',
      ConditionExpression: 'attribute_not_exists(used) OR used <= :before',
      ExpressionAttributeValues: { ':weight': 1, ':before': 1e6, ':expiresAt': 2_000_000_000 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );

const receiptKey = read(TLOG_TABLE, { id: 'receipt-keys' }).then(async ({ current }) => {
  const context = { purpose: 'receipts', origin };
  const der = await decrypt(current.sealedPrivateKey, process.env.RECEIPT_SEALING_KEY_ARN, context);
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
});

/** An item to store. Its bytes are in base64. */
interface BareUpload {
  readonly item: { readonly uid: string; readonly accessKey: string; readonly orderId: string };
  readonly arrival: string;
  readonly body: string;
}

/** Makes the calls of an upload. */
export async function handler({ item, arrival, body }: BareUpload) {
  const { uid, accessKey } = item;
  const apiKey = await readCaller(accessKey);
  await Promise.all([
    read(ALLOWLIST_TABLE, { uid }),
    decrypt(apiKey.credentials, process.env.CREDENTIALS_KEY_ARN, { accessKey, uid }),
  ]);
  await Promise.all([count(`uid#${uid}`), count('ip#192.0.2.1')]);
  const Item = {
    ...item,
    orderId: BigInt(item.orderId),
    arrival: Buffer.from(arrival, 'base64'),
    body: Buffer.from(body, 'base64'),
  };
  await db.send(
    new PutCommand({ TableName: AI_LOGS_TABLE, Item, ConditionExpression: 'attribute_not_exists(entryId)' }),
  );
  sign(null, Buffer.from(body), await receiptKey);
  return { statusCode: 200 };
}
