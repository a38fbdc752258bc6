import type { RemovalPolicy } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** The KMS key that encrypts the credentials of all teams. If it is lost, every key must be issued again. */
export class CredentialsKey extends Construct {
  /** The key of the stack, or the existing one that the settings name. */
  readonly arn: string;

  constructor(
    scope: Construct,
    id: string,
    { settings, removalPolicy }: { settings: Settings; removalPolicy: RemovalPolicy },
  ) {
    super(scope, id);
    if (settings.credentialsKeyArn !== undefined) {
      this.arn = settings.credentialsKeyArn;
      return;
    }
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
