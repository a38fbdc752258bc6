import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import { keepsData, type Settings } from '../settings.ts';

/**
 * The files of the transparency log. Nobody can replace a file, not even an admin: the policy of the bucket only takes
 * files that do not exist yet, and a new `checkpoint` only in place of the one that was read. With `tlogLockDays`, S3
 * also keeps every version of every file, against the owner of the account too.
 */
export class TlogBucket extends Construct {
  readonly name: string;
  /** The id of the bucket in the template. */
  readonly logicalId: string;
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    const { tlogLockDays } = settings;
    // Locked files cannot be deleted, and a bucket with files cannot either.
    const isKept = keepsData(settings) || tlogLockDays !== undefined;
    this.#bucket = new Bucket(this, 'Bucket', {
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
    this.name = this.#bucket.bucketName;
    this.logicalId = Stack.of(this).getLogicalId(this.#bucket.node.defaultChild as CfnBucket);
    this.#createOnly();
    if (isKept) {
      this.#keep();
      // A bucket without its policy could be changed.
      this.#bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
    Validations.of(this.#bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'One function writes here and logs what it writes, and no file can be replaced. Access logs would need a second bucket, which could be changed.',
    });
  }

  /** Allows reading and creating files. Listing is for telling a missing file from a forbidden one. */
  grantReadCreate(grantee: IGrantable): void {
    const { bucketArn } = this.#bucket;
    const allow = (actions: string[], resource: string) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] }).assertSuccess();
    allow(['s3:GetObject', 's3:PutObject'], this.#bucket.arnForObjects('*'));
    allow(['s3:ListBucket'], bucketArn);
  }

  #deny(statement: ConstructorParameters<typeof PolicyStatement>[0]): void {
    this.#bucket.addToResourcePolicy(
      new PolicyStatement({ ...statement, effect: Effect.DENY, principals: [new AnyPrincipal()] }),
    );
  }

  /**
   * Denies writes that could replace a file. Uploads in parts are denied with them, because they have no condition.
   * Source: Amazon S3 User Guide, "Enforce conditional writes".
   */
  #createOnly(): void {
    const checkpoint = this.#bucket.arnForObjects(CHECKPOINT);
    this.#deny({
      sid: 'CreateOnly',
      actions: ['s3:PutObject'],
      notResources: [checkpoint],
      conditions: { Null: { 's3:if-none-match': 'true' } },
    });
    this.#deny({
      sid: 'ReplaceCheckpointThatWasRead',
      actions: ['s3:PutObject'],
      resources: [checkpoint],
      conditions: { Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' } },
    });
  }

  /** Denies hiding or removing files, and having S3 remove them later. */
  #keep(): void {
    this.#deny({
      sid: 'NoDeletion',
      actions: ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:PutObjectRetention', 's3:PutObjectLegalHold'],
      resources: [this.#bucket.arnForObjects('*')],
    });
    this.#deny({
      sid: 'NoExpiry',
      actions: ['s3:PutLifecycleConfiguration', 's3:DeleteBucket'],
      resources: [this.#bucket.bucketArn],
    });
  }
}
