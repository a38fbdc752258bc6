import { S3Client } from '@aws-sdk/client-s3';
import { createLogger } from '../logLine.ts';
import { readIndexerConfig } from './config.ts';
import { createHandler } from './handler.ts';
import { rowBucket } from './rowBucket.ts';

/** Milliseconds. A compacted day can have hundreds of megabytes. */
const timeouts = { maxAttempts: 5, requestHandler: { connectionTimeout: 1000, socketTimeout: 20_000 } };

const config = readIndexerConfig(process.env);

export const handler = createHandler(
  { bucket: rowBucket(new S3Client(timeouts), config.bucket), now: Date.now },
  createLogger({ ...config, logLevel: 'INFO' }),
);
