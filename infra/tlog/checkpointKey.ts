import type { RemovalPolicy } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** A KMS key that signs the checkpoints of the transparency log. Its private half never leaves KMS. */
export class CheckpointKey extends Construct {
  readonly arn: string;

  /** @param props `existing`: the ARN of a key to use; undefined: a new key */
  constructor(
    scope: Construct,
    id: string,
    { existing, removalPolicy }: { existing?: string | undefined; removalPolicy: RemovalPolicy },
  ) {
    super(scope, id);
    this.arn =
      existing ??
      new Key(this, 'Key', {
        description: 'Signs the checkpoints of the transparency log',
        keySpec: KeySpec.ECC_NIST_EDWARDS25519,
        keyUsage: KeyUsage.SIGN_VERIFY,
        removalPolicy,
      }).keyArn;
  }

  /** Allows Ed25519 signatures of whole messages, and reading the public key. */
  grantSign(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['kms:Sign'],
      resourceArns: [this.arn],
      conditions: { StringEquals: { 'kms:SigningAlgorithm': 'ED25519_SHA_512', 'kms:MessageType': 'RAW' } },
    }).assertSuccess();
    Grant.addToPrincipal({ grantee, actions: ['kms:GetPublicKey'], resourceArns: [this.arn] }).assertSuccess();
  }
}
