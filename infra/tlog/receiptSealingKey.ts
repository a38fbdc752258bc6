import type { RemovalPolicy } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { receiptKeyContext } from '../../functions/tlog/tlogTable.ts';

/**
 * The KMS key that makes and seals the key pairs that sign receipts. The sequencer makes a pair and cannot decrypt it;
 * the upload function decrypts it and cannot make one.
 */
export class ReceiptSealingKey extends Construct {
  readonly arn: string;
  readonly #context: Record<string, string>;

  /**
   * @param props `existing`: the ARN of a key to use; `origin`: the name of the transparency log, to which a receipt
   * key is bound
   */
  constructor(
    scope: Construct,
    id: string,
    { existing, origin, removalPolicy }: { existing: string | undefined; origin: string; removalPolicy: RemovalPolicy },
  ) {
    super(scope, id);
    this.arn =
      existing ??
      new Key(this, 'Key', {
        description: 'Seals the keys that sign receipts of uploads',
        // Yearly. KMS keeps the earlier key material, so existing ciphertexts stay valid.
        enableKeyRotation: true,
        removalPolicy,
      }).keyArn;
    this.#context = Object.fromEntries(
      Object.entries(receiptKeyContext(origin)).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
    );
  }

  /**
   * Allows decryption of the receipt keys of this transparency log, and of nothing else that this key may have sealed.
   */
  grantDecrypt(grantee: IGrantable): void {
    this.#grant(grantee, 'kms:Decrypt');
  }

  /** Allows making receipt keys for this transparency log, without seeing their private half. */
  grantGenerate(grantee: IGrantable): void {
    this.#grant(grantee, 'kms:GenerateDataKeyPairWithoutPlaintext', {
      'kms:DataKeyPairSpec': 'ECC_NIST_EDWARDS25519',
    });
  }

  #grant(grantee: IGrantable, action: string, conditions: Record<string, string> = {}): void {
    Grant.addToPrincipal({
      grantee,
      actions: [action],
      resourceArns: [this.arn],
      conditions: { StringEquals: { ...this.#context, ...conditions } },
    }).assertSuccess();
  }
}
