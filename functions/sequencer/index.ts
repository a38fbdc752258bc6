import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Signer } from '../c2sp/note.ts';
import { createLogger } from '../logLine.ts';
import { serverClockOf } from '../serverClock.ts';
import { STEP_MS, WINDOW_MS } from '../tlog/commit.ts';
import { receiptKeyTable } from '../tlog/receiptKeyTable.ts';
import { arrivalsOf } from './arrivals.ts';
import { readSequencerConfig } from './config.ts';
import { createHandler } from './handler.ts';
import { kmsReceiptKey, kmsSigner } from './kmsKeys.ts';
import { s3Storage } from './s3Storage.ts';

/** Milliseconds. No caller waits for a run, but the next run starts a minute later. */
const timeouts = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, socketTimeout: 5000, throwOnRequestTimeout: true },
};

/** An upload takes 5 s at most; the rest is for the index to catch up. See docs/decisions.md#times. */
const LAG_MS = 30_000;

const config = readSequencerConfig(process.env);
const { origin, tables } = config;
const db = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts));
const s3 = new S3Client(timeouts);
const kms = new KMSClient(timeouts);
let signers: readonly Signer[] | undefined;

export const handler = createHandler(
  {
    origin,
    storage: s3Storage(s3, config.bucket, origin),
    table: receiptKeyTable(db, tables.receiptKeys, origin),
    arrivals: arrivalsOf(db, tables.aiLogs),
    generate: kmsReceiptKey(kms, config.receiptSealingKeyArn),
    receiptKey: config.receiptKey,
    async signers(abortSignal) {
      signers ??= await Promise.all(config.checkpointKeyArns.map((arn) => kmsSigner(kms, arn, origin, abortSignal)));
      return signers;
    },
    witnesses: config.witnesses,
    witnessTimeoutMs: 5000,
    now: Date.now,
    correction: serverClockOf(s3).correction,
    lagMs: LAG_MS,
    windowMs: WINDOW_MS,
    stepMs: STEP_MS,
    retentionDays: config.retentionDays,
  },
  createLogger({ ...config, logLevel: 'INFO' }),
);
