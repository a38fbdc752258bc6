import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { allowOnlyRole } from '../build/onlyRole.ts';
import { removalPolicyOf } from '../removalPolicy.ts';
import type { Settings } from '../settings.ts';
import { allow } from './allow.ts';

/**
 * Creates a key with which the upload function decrypts.
 * @param options `isOpen`: the roles of others may allow it too
 * @returns its ARN
 */
export function createDecryptionKey(
  scope: Construct,
  description: string,
  settings: Settings,
  { isOpen }: { isOpen: boolean },
): string {
  const key = new Key(scope, 'Key', {
    description,
    // Yearly. KMS keeps the earlier key material, so existing ciphertexts stay valid.
    enableKeyRotation: true,
    removalPolicy: removalPolicyOf(settings),
  });
  if (!isOpen) allowOnlyRole(key, 'kms:Decrypt', 'upload', settings);
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
      // Reviewers verify signatures with it: only a list of their roles can tell them from others.
      createDecryptionKey(this, 'Encrypts the credentials of API keys', settings, { isOpen: !settings.keyRoles });
  }

  /** Allows decryption, but only with an encryption context that names an access key and a UID. */
  grantDecrypt(grantee: IGrantable): void {
    allow(grantee, ['kms:Decrypt'], [this.arn], {
      Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' },
    });
  }
}
