import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Decrypt } from '../../functions/auth/credentialStore.ts';
import type { DecryptReceiptKey } from '../../functions/receipts/receiptKeys.ts';
import type { TableId } from '../../functions/tables.ts';
import { nativeNumber } from './attributeValues.ts';
import type { Seal } from './seal.ts';
import type { TlogFiles } from './tlogFiles.ts';

interface Tlog {
  /** Its name, which is the first line of every checkpoint. */
  readonly origin: string;
  readonly files: TlogFiles;
  /** The setting `witnesses`: a C2SP tlog-policy; undefined: no witnesses. */
  readonly witnesses: string | undefined;
  /** Decrypts the private half of a receipt key. Few roles may. */
  readonly decryptReceiptKey: DecryptReceiptKey;
  /** The milliseconds after which an upload is usually in the log. */
  readonly usualDelay: number;
}

/** The parts of a target that a deployment and the local run open in their own way. */
export interface OpenedTarget {
  /** The name of the stack, or `the local data`. Questions name it. */
  readonly name: string;
  /** The base URL of the service. Undefined if the local run has not started yet. */
  readonly baseUrl: string | undefined;
  readonly db: DynamoDBDocumentClient;
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  readonly seal: Seal;
  readonly decrypt: Decrypt;
  /** Returns the identity of the user, for the record of a change. */
  readonly who: () => Promise<string>;
  /** Opens the transparency log. It is loaded only for the commands that need it. */
  readonly openTlog: () => Promise<Tlog>;
}

/** The client timeouts in milliseconds, so that a lost packet does not block a command forever. */
export const timeouts = {
  requestHandler: { connectionTimeout: 5000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

/** Returns a document client. Undefined properties, such as a missing label, are not stored. */
export const documents = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: nativeNumber },
  });

/** Returns a signal that aborts one read from a table or a key service after 10 s. */
export const readTimeout = (): AbortSignal => AbortSignal.timeout(10_000);
