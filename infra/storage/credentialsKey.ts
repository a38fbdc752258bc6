import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { removalPolicyOf } from '../removalPolicy.ts';
import type { Settings } from '../settings.ts';
import { allow } from './allow.ts';

/** The KMS key that encrypts the credentials of all teams. If it is lost, every key must be issued again. */
export class CredentialsKey extends Construct {
  /** The key of the stack, or the existing one that the settings name. */
  readonly arn: string;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    this.arn =
      settings.credentialsKeyArn ??
      new Key(this, 'Key', {
        description: 'Encrypts the credentials of API keys',
        // Yearly. KMS keeps the earlier key material, so existing ciphertexts stay valid.
        enableKeyRotation: true,
        removalPolicy: removalPolicyOf(settings),
      }).keyArn;
  }

  /** Allows decryption, but only with an encryption context that names an access key and a UID. */
  grantDecrypt(grantee: IGrantable): void {
    allow(grantee, ['kms:Decrypt'], [this.arn], {
      Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' },
    });
  }
}
