import type { RemovalPolicy } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** The KMS key that encrypts the credentials of all teams. If it is lost, every key must be issued again. */
export class CredentialsKey extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const key = new Key(this, 'Key', {
      description: 'Encrypts the credentials of API keys',
      // Yearly. KMS keeps the earlier key material, so existing ciphertexts stay valid.
      enableKeyRotation: true,
      removalPolicy,
    });
    this.arn = key.keyArn;
  }

  /** Allows decryption, but only with an encryption context that names an access key and a UID. */
  grantDecrypt(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['kms:Decrypt'],
      resourceArns: [this.arn],
      conditions: { Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' } },
    }).assertSuccess();
  }
}
