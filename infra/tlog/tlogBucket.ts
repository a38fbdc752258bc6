import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AnyPrincipal,
  Effect,
  Grant,
  type IGrantable,
  PolicyStatement,
  type PolicyStatementProps,
} from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type IBucket,
  ObjectLockRetention,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import { keepsData, type Settings } from '../settings.ts';

const NO_ACCESS_LOG =
  'One function writes here and logs what it writes, and no file can be replaced. Access logs would need a second bucket, which could be changed.';

const deny = (bucket: Bucket, statement: PolicyStatementProps) =>
  bucket.addToResourcePolicy(
    new PolicyStatement({ ...statement, effect: Effect.DENY, principals: [new AnyPrincipal()] }),
  );

/**
 * Denies writes that could replace a file. Uploads in parts are denied with them, because they have no condition.
 * Source: Amazon S3 User Guide, "Enforce conditional writes".
 */
function denyReplacing(bucket: Bucket): void {
  const checkpoint = bucket.arnForObjects(CHECKPOINT);
  deny(bucket, {
    sid: 'CreateOnly',
    actions: ['s3:PutObject'],
    notResources: [checkpoint],
    conditions: { Null: { 's3:if-none-match': 'true' } },
  });
  deny(bucket, {
    sid: 'ReplaceCheckpointThatWasRead',
    actions: ['s3:PutObject'],
    resources: [checkpoint],
    conditions: { Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' } },
  });
}

/** Denies hiding or removing files, and having S3 remove them later. */
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
 * The files of the transparency log. Nobody can replace a file, not even an admin: the policy of the bucket only takes
 * files that do not exist yet, and a new `checkpoint` only in place of the one that was read. With `tlogLockDays`, S3
 * also keeps every version of every file, against the owner of the account too. A bucket that the setting `tlogBucket`
 * names keeps the policy that it has.
 */
export class TlogBucket extends Construct {
  readonly name: string;
  /** The ARN of all files, as findings of cdk-nag name it. */
  readonly filesInFindings: string;
  readonly #bucket: Pick<IBucket, 'bucketName' | 'bucketArn' | 'arnForObjects'>;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const { tlogBucket } = settings;
    if (/^\d+$/.test(tlogBucket)) {
      const created = this.#create(settings);
      this.filesInFindings = `<${Stack.of(this).getLogicalId(created.node.defaultChild as CfnBucket)}.Arn>/*`;
      this.#bucket = created;
    } else {
      this.filesInFindings = `arn:<AWS::Partition>:s3:::${tlogBucket}/*`;
      this.#bucket = Bucket.fromBucketName(this, 'Bucket', tlogBucket);
    }
    this.name = this.#bucket.bucketName;
  }

  #create(settings: Settings): Bucket {
    const { tlogLockDays } = settings;
    // Locked files cannot be deleted, and a bucket with files cannot either.
    const isKept = keepsData(settings) || tlogLockDays !== undefined;
    const bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // Always on, because CloudFormation replaces a bucket to turn it on later. Without a retention it locks nothing.
      objectLockEnabled: true,
      ...(tlogLockDays !== undefined && {
        objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(tlogLockDays)),
      }),
      // CloudFormation only deletes empty buckets.
      ...(isKept
        ? { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }
        : { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }),
    });
    denyReplacing(bucket);
    if (isKept) {
      denyDeleting(bucket);
      // A bucket without its policy could be changed.
      bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
    Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: NO_ACCESS_LOG });
    // Checkov, another scanner of templates, reads its acknowledgements in the metadata of a resource.
    (bucket.node.defaultChild as CfnBucket).addMetadata('checkov', {
      skip: [{ id: 'CKV_AWS_18', comment: NO_ACCESS_LOG }],
    });
    return bucket;
  }

  /** Allows reading and creating files. Listing is for telling a missing file from a forbidden one. */
  grantReadCreate(grantee: IGrantable): void {
    const { bucketArn } = this.#bucket;
    const allow = (actions: string[], resource: string) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] }).assertSuccess();
    allow(['s3:GetObject', 's3:PutObject'], this.#bucket.arnForObjects('*'));
    allow(['s3:ListBucket'], bucketArn);
  }
}
