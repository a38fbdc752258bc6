import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { allowOnly } from '../build/keyUses.ts';
import { removalPolicyOf } from '../removalPolicy.ts';
import type { Settings } from '../settings.ts';
import { allow } from './allow.ts';

/** Creates a key that encrypts. @param uses all that it is for @returns its ARN */
export function createSealingKey(
  scope: Construct,
  description: string,
  settings: Settings,
  uses: Parameters<typeof allowOnly>[1],
): string {
  const key = new Key(scope, 'Key', {
    description,
    // Yearly. KMS keeps the earlier key material, so existing ciphertexts stay valid.
    enableKeyRotation: true,
    removalPolicy: removalPolicyOf(settings),
  });
  allowOnly(key, uses, settings);
  return key.keyArn;
}

/** The KMS key that encrypts the credentials of all teams. If it is lost, every key must be issued again. */
export class CredentialsKey extends Construct {
  /** The key of the stack, or the existing one that the settings name. */
  readonly arn: string;

  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id);
    this.arn =
      settings.credentialsKeyArn ??
      createSealingKey(this, 'Encrypts the credentials of API keys', settings, {
        Encrypt: 'whoever has the right',
        // Reviewers verify signatures with it: only a list of their roles can tell them from others.
        Decrypt: settings.keyRoles ? 'upload' : 'whoever has the right',
      });
  }

  /** Allows decryption, but only with an encryption context that names an access key and a UID. */
  grantDecrypt(grantee: IGrantable): void {
    allow(grantee, ['kms:Decrypt'], [this.arn], {
      Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' },
    });
  }
}
