import { Duration, Stack } from 'aws-cdk-lib';
import {
  AnyPrincipal,
  Effect,
  type IGrantable,
  PolicyStatement,
  type PolicyStatementProps,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { type Bucket, type CfnBucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import { keepsData, type Settings } from '../settings.ts';
import { allow } from '../storage/allow.ts';
import { createPrivateBucket } from '../storage/privateBucket.ts';

const deny = (bucket: Bucket, statement: PolicyStatementProps) =>
  bucket.addToResourcePolicy(
    new PolicyStatement({ ...statement, effect: Effect.DENY, principals: [new AnyPrincipal()] }),
  );

/** Denies writes that could replace a file, and uploads in parts. Source: S3 guide, "Enforce conditional writes". */
function denyReplacing(bucket: Bucket, origin: string): void {
  const replaced = [bucket.arnForObjects(`${origin}/${CHECKPOINT}`)];
  deny(bucket, {
    sid: 'CreateOnly',
    actions: ['s3:PutObject'],
    notResources: replaced,
    conditions: { Null: { 's3:if-none-match': 'true' } },
  });
  deny(bucket, {
    sid: 'ReplaceWhatWasRead',
    actions: ['s3:PutObject'],
    resources: replaced,
    conditions: { Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' } },
  });
}

function denyDeleting(bucket: Bucket): void {
  deny(bucket, {
    sid: 'NoDeletion',
    actions: ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:PutObjectRetention', 's3:PutObjectLegalHold'],
    resources: [bucket.arnForObjects('*')],
  });
  deny(bucket, {
    sid: 'NoExpiry',
    actions: ['s3:PutLifecycleConfiguration', 's3:DeleteBucket'],
    resources: [bucket.bucketArn],
  });
}

/**
 * The files of the transparency log, below its name. Nobody can replace a file, not even an admin: the policy of
 * the bucket only takes new files, and a new `checkpoint` only in place of the one that was read. With `tlogLockDays`,
 * S3 also keeps every version, against the owner of the account too.
 */
export class TlogBucket extends Construct {
  readonly name: string;
  readonly domainName: string;
  /** The ARN of all files, as findings of cdk-nag name it. */
  readonly filesInFindings: string;
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string, { settings, origin }: { settings: Settings; origin: string }) {
    super(scope, id);
    this.#bucket = this.#create(settings, origin);
    this.filesInFindings = `<${Stack.of(this).getLogicalId(this.#bucket.node.defaultChild as CfnBucket)}.Arn>/*`;
    this.name = this.#bucket.bucketName;
    this.domainName = this.#bucket.bucketRegionalDomainName;
  }

  #create(settings: Settings, origin: string): Bucket {
    const { tlogLockDays } = settings;
    // Locked files cannot be deleted, and a bucket with files cannot either.
    const isLocked = tlogLockDays !== undefined;
    const bucket = createPrivateBucket(this, {
      settings,
      isLocked,
      noAccessLog:
        'One function writes here and logs what it writes, and no file can be replaced. Access logs would need a second bucket, which could be changed.',
      versioned: true,
      // Always on, because CloudFormation replaces a bucket to turn it on later. Without a retention it locks nothing.
      objectLockEnabled: true,
      ...(tlogLockDays !== undefined && {
        objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(tlogLockDays)),
      }),
    });
    denyReplacing(bucket, origin);
    if (keepsData(settings) || isLocked) denyDeleting(bucket);
    return bucket;
  }

  /** Allows reading and creating files. Listing is for telling a missing file from a forbidden one. */
  grantReadCreate(grantee: IGrantable): void {
    allow(grantee, ['s3:GetObject', 's3:PutObject'], [this.#bucket.arnForObjects('*')]);
    allow(grantee, ['s3:ListBucket'], [this.#bucket.bucketArn]);
  }

  /**
   * Allows CloudFront to read the public files: any distribution of the account, so that another one can serve a log
   * that has ended. Listing, which tells a missing file from a forbidden one, is only for the distribution of the log.
   */
  grantPublicRead(distribution: string): void {
    const distributions = Stack.of(this).formatArn({ service: 'cloudfront', region: '', resource: 'distribution/*' });
    const statement = (action: string, resources: string[], source: string) =>
      new PolicyStatement({
        actions: [action],
        resources,
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        conditions: { ArnLike: { 'aws:SourceArn': source } },
      });
    this.#bucket.addToResourcePolicy(statement('s3:GetObject', [this.#bucket.arnForObjects('*')], distributions));
    this.#bucket.addToResourcePolicy(statement('s3:ListBucket', [this.#bucket.bucketArn], distribution));
  }
}
