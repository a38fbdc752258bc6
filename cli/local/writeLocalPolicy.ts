import { writeFileSync } from 'node:fs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { headTable } from '../../functions/tlog/head.ts';
import { policyText } from '../inclusion/policyText.ts';
import { KEY_FILE, LOCAL_ORIGIN, localTables, POLICY_FILE } from '../target/data.ts';
import { readTimeout } from '../target/openedTarget.ts';
import { localSigner } from './sequenceKeys.ts';

/**
 * Writes the trust policy of the local log, by which `ailog verify` checks receipts and proofs: every key that ever
 * signed, and those that sign now.
 * @param receiptKeys verifier keys as text
 */
export async function writeLocalPolicy(db: DynamoDBDocumentClient, receiptKeys: readonly string[]): Promise<void> {
  const head = await headTable(db, localTables.tlog).get(readTimeout());
  const checkpointKey = formatVerifierKey(localSigner(KEY_FILE, LOCAL_ORIGIN).key);
  const keys = new Set([...(head?.keys ?? []), checkpointKey, ...receiptKeys]);
  writeFileSync(POLICY_FILE, policyText({ keys: [...keys] }));
}
