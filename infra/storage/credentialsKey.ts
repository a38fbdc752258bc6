import type { RemovalPolicy } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

/** The key that seals the credentials of all teams. Without it, every one of them would have to be issued anew. */
export class CredentialsKey extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { removalPolicy }: { removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const key = new Key(this, 'Key', {
      description: 'Seals the credentials of API keys',
      // Yearly; what older generations of it sealed still opens.
      enableKeyRotation: true,
      removalPolicy,
    });
    this.arn = key.keyArn;
  }

  /** Lets open what is sealed for an access key and a UID; what was sealed without naming both stays shut. */
  grantDecrypt(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['kms:Decrypt'],
      resourceArns: [this.arn],
      conditions: { Null: { 'kms:EncryptionContext:accessKey': 'false', 'kms:EncryptionContext:uid': 'false' } },
    }).assertSuccess();
  }
}
