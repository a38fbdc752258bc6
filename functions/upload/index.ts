import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { entriesTable } from '../ailog/entries.ts';
import { allowlistTable } from '../allowlist/allowlist.ts';
import { createCredentialStore, fileDecrypt, kmsDecrypt } from '../auth/credentialStore.ts';
import { createReceiptSigner } from '../receipts/receiptSigner.ts';
import { fileDecryptReceiptKey, readReceiptKey } from '../receipts/signingKey.ts';
import { receiptKeyTable } from '../tlog/receiptKeyTable.ts';
import { weightsTable } from '../weights/weights.ts';
import { callerRecordsReader } from './callerRecords.ts';
import { readConfig } from './config.ts';
import { createHandler } from './handler.ts';

/** Milliseconds. Three attempts fit into a deadline; `socketTimeout` is for a response that stops halfway. */
const timeouts = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1200, socketTimeout: 1200, throwOnRequestTimeout: true },
};

const config = readConfig(process.env);
const db = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts));
const kms = new KMSClient(timeouts);
const { credentialsKey, receiptSealingKey, origin, tables } = config;
const receipts = createReceiptSigner({
  origin,
  readKey: readReceiptKey({
    table: receiptKeyTable(db, tables.receiptKeys, origin),
    origin,
    number: config.receiptKey,
    decrypt:
      'arn' in receiptSealingKey
        ? kmsDecrypt(kms, receiptSealingKey.arn)
        : fileDecryptReceiptKey(receiptSealingKey.file),
  }),
  now: Date.now,
});

export const handler = createHandler({
  config,
  readCallerRecords: callerRecordsReader(db, tables),
  allowlist: allowlistTable(db, tables.allowlist),
  credentialStore: createCredentialStore(
    'arn' in credentialsKey ? kmsDecrypt(kms, credentialsKey.arn) : fileDecrypt(credentialsKey.file),
  ),
  weights: weightsTable(db, tables.weights),
  entries: entriesTable(db, tables.aiLogs),
  receipts,
  now: Date.now,
});

// Reads the receipt key while the function starts, which also opens the connection to DynamoDB. After a failure, an
// upload reads it again.
export const preloaded = receipts.preload();
