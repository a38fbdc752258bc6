import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { allow } from '../storage/allow.ts';
import { createPrivateBucket } from '../storage/privateBucket.ts';

const ROWS = ['entries/', 'texts/'] as const;

/** The folder in which Athena keeps results and the tables of queries. */
export const RESULTS = 'results/';

/** The files of rows, and the results of queries. It has no versions: rows of expired entries must not be kept. */
export class RowBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const { entryRetentionDays } = settings;
    this.bucket = createPrivateBucket(this, {
      settings,
      noAccessLog:
        'The rows are copies of entries, which no request reads. `ailog data backfill` finds rows that are missing and makes them again.',
      lifecycleRules: [
        { prefix: RESULTS, expiration: Duration.days(7) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // A row expires with its entry, up to two days later: a compacted file is a day younger than its rows.
        ...(entryRetentionDays === undefined
          ? []
          : ROWS.map((prefix) => ({ prefix, expiration: Duration.days(entryRetentionDays) }))),
      ],
    });
  }

  grantIndex(grantee: IGrantable): void {
    const files = ROWS.map((folder) => this.bucket.arnForObjects(`${folder}*`));
    allow(grantee, ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], files);
    allow(grantee, ['s3:ListBucket'], [this.bucket.bucketArn]);
  }
}
