import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acceptFindings } from '../acceptFindings.ts';

interface PrivateBucketProps extends BucketProps {
  /** True if the bucket and its policy stay when the stack is deleted. */
  readonly isKept: boolean;
  readonly noAccessLog: string;
  readonly findings?: Readonly<Record<string, string>>;
}

/** Creates an encrypted bucket that is not public and takes TLS only. */
export function createPrivateBucket(
  scope: Construct,
  { isKept, noAccessLog, findings, ...props }: PrivateBucketProps,
): Bucket {
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // CloudFormation only deletes empty buckets.
    ...(isKept
      ? { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }
      : { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }),
    ...props,
  });
  // A bucket without its policy could be changed.
  if (isKept) bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  acceptFindings(bucket, { 'AwsSolutions-S1': noAccessLog, CKV_AWS_18: noAccessLog, ...findings });
  return bucket;
}
