import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { receiptKeyContext } from '../../functions/tlog/receiptKeyTable.ts';
import { allowOnly } from '../build/keyUses.ts';
import { removalPolicyOf } from '../removalPolicy.ts';
import type { Settings } from '../settings.ts';
import { allow } from '../storage/allow.ts';
import { createSealingKey } from '../storage/credentialsKey.ts';

/** A KMS key that signs the checkpoints of the transparency log. Its private half never leaves KMS. */
export class CheckpointKey extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { settings, existing }: { settings: Settings; existing?: string }) {
    super(scope, id);
    const create = () => {
      const key = new Key(this, 'Key', {
        description: 'Signs the checkpoints of the transparency log',
        keySpec: KeySpec.ECC_NIST_EDWARDS25519,
        keyUsage: KeyUsage.SIGN_VERIFY,
        removalPolicy: removalPolicyOf(settings),
      });
      allowOnly(key, { Sign: 'sequencer' }, settings);
      return key.keyArn;
    };
    this.arn = existing ?? create();
  }

  grantSign(grantee: IGrantable): void {
    allow(grantee, ['kms:Sign'], [this.arn], {
      StringEquals: { 'kms:SigningAlgorithm': 'ED25519_SHA_512', 'kms:MessageType': 'RAW' },
    });
    allow(grantee, ['kms:GetPublicKey'], [this.arn]);
  }
}

/** Seals the keys of receipts. The sequencer makes them and cannot decrypt them; the upload function only decrypts. */
export class ReceiptSealingKey extends Construct {
  readonly arn: string;
  readonly #context: Record<string, string>;

  constructor(scope: Construct, id: string, { settings, origin }: { settings: Settings; origin: string }) {
    super(scope, id);
    this.arn = createSealingKey(this, 'Seals the keys that sign receipts of uploads', settings, {
      GenerateDataKeyPairWithoutPlaintext: 'sequencer',
      Decrypt: 'upload',
    });
    this.#context = Object.fromEntries(
      Object.entries(receiptKeyContext(origin)).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
    );
  }

  /** Allows decryption of the receipt keys of this transparency log, and of nothing else that it may have sealed. */
  grantDecrypt(grantee: IGrantable): void {
    allow(grantee, ['kms:Decrypt'], [this.arn], { StringEquals: this.#context });
  }

  /** Allows making receipt keys for this transparency log, without seeing their private half. */
  grantGenerate(grantee: IGrantable): void {
    allow(grantee, ['kms:GenerateDataKeyPairWithoutPlaintext'], [this.arn], {
      StringEquals: { ...this.#context, 'kms:DataKeyPairSpec': 'ECC_NIST_EDWARDS25519' },
    });
  }
}
