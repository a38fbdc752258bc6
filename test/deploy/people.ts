import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../functions/ailog/entry.ts';
import { allowlistTable, type Listing } from '../../functions/allowlist/allowlist.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { issueKey } from '../../functions/auth/issueKey.ts';
import type { Seal } from '../../functions/auth/seal.ts';
import { sign } from '../../functions/auth/signature.ts';
import type { Team } from '../setup/world.ts';
import type { Deployed } from './cdk.ts';
import type { Emulator } from './emulator.ts';

/** What people do with a deployed stack: its admins and its reviewers. */
export const peopleOf = ({ client }: Emulator, { tables, credentialsKeyArn }: Deployed) => {
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(client));
  const kms = new KMSClient(client);
  const seal: Seal = async (credentials, context) => {
    const { CiphertextBlob } = await kms.send(
      new EncryptCommand({
        KeyId: credentialsKeyArn,
        Plaintext: Buffer.from(JSON.stringify(credentials)),
        EncryptionContext: { ...context },
      }),
    );
    return CiphertextBlob as Uint8Array;
  };

  return {
    list: (uid: string, status: Listing['status']) => allowlistTable(db, tables.allowlist).put({ uid, status }),

    async issueKey(uid: string): Promise<Team> {
      const { apiKey, credentials } = await issueKey(uid, { seal, at: Date.now() });
      await apiKeysTable(db, tables.apiKeys).put(apiKey);
      return { uid, accessKey: apiKey.accessKey, ...credentials };
    },

    /** Every entry of a UID, oldest first. */
    async exportLogs(uid: string): Promise<Entry[]> {
      const pages = paginateQuery(
        { client: db },
        {
          TableName: tables.aiLogs,
          KeyConditionExpression: 'uid = :uid',
          ExpressionAttributeValues: { ':uid': uid },
          ConsistentRead: true,
        },
      );
      return (await Array.fromAsync(pages)).flatMap(({ Items }) => Items as Entry[]);
    },

    /** Whether an entry holds what its team signed. */
    verify({ body, bodySha256, timestamp, query = '', signature }: Entry, { secret }: Team): boolean {
      const bytes = zstdDecompressSync(body);
      return (
        createHash('sha256').update(bytes).digest('hex') === bodySha256 &&
        sign(secret, { timestamp, query, body: bytes }) === signature
      );
    },
  };
};
