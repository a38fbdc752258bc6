import { RemovalPolicy, Tags } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acceptFindings } from '../acceptFindings.ts';
import { keepsData, type Settings } from '../settings.ts';

interface PrivateBucketProps extends BucketProps {
  readonly settings: Settings;
  /** True if its files cannot be deleted, so that it stays when the stack of any stage is deleted. */
  readonly isLocked?: boolean;
  readonly noAccessLog: string;
}

/** Creates an encrypted bucket that is not public and takes TLS only. */
export function createPrivateBucket(
  scope: Construct,
  { settings, isLocked = false, noAccessLog, ...props }: PrivateBucketProps,
): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // CloudFormation only deletes empty buckets.
    ...(keepsData(settings)
      ? { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }
      : { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }),
    ...props,
  });
  const isKept = keepsData(settings) || isLocked;
  // The function that empties buckets stays, and empties none whose tag is false: if it left the stack when a lock
  // came, it could not read the tag any more, and would fail.
  if (isLocked) {
    const resource = bucket.node.defaultChild as CfnBucket;
    resource.addOverride('DeletionPolicy', 'RetainExceptOnCreate');
    resource.addOverride('UpdateReplacePolicy', 'Retain');
    Tags.of(bucket).add('aws-cdk:auto-delete-objects', 'false', { priority: 300 });
  }
  // A bucket without its policy could be changed.
  if (isKept) bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  acceptFindings(bucket, { 'AwsSolutions-S1': noAccessLog });
  return bucket;
}
