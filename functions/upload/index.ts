import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { entriesTable } from '../ailog/entries.ts';
import { allowlistTable } from '../allowlist/allowlist.ts';
import { apiKeysTable } from '../auth/apiKeys.ts';
import { createCredentialStore, fileDecrypt, kmsDecrypt } from '../auth/credentialStore.ts';
import { readConfig } from '../config.ts';
import { weightsTable } from '../weights/weights.ts';
import { createHandler } from './handler.ts';
import { UNASSIGNED_UID } from './middleware/readRecords.ts';

/**
 * The client timeouts, in milliseconds. Three attempts fit into the deadline of a request, so a lost packet costs one
 * attempt and not the request. `requestTimeout` covers the wait for a response, `socketTimeout` a response that stops
 * halfway.
 */
const timeouts = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1200, socketTimeout: 1200, throwOnRequestTimeout: true },
};

const config = readConfig(process.env);
const db = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts));
const { credentialsKey } = config;
const allowlist = allowlistTable(db, config.tables.allowlist);

/** The Lambda entry point. */
export const handler = createHandler({
  config,
  apiKeys: apiKeysTable(db, config.tables.apiKeys),
  allowlist,
  credentialStore: createCredentialStore(
    'arn' in credentialsKey
      ? kmsDecrypt(new KMSClient(timeouts), credentialsKey.arn)
      : fileDecrypt(credentialsKey.file),
  ),
  weights: weightsTable(db, config.tables.weights),
  entries: entriesTable(db, config.tables.aiLogs),
  now: Date.now,
});

// Opens the connection to DynamoDB while the function starts. The result does not matter, and a failure does not
// either.
void allowlist.get(UNASSIGNED_UID, AbortSignal.timeout(1000)).catch(() => undefined);
