import {
  GenerateDataKeyPairWithoutPlaintextCommand,
  GetPublicKeyCommand,
  type KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { rawPublicKey } from '../c2sp/ed25519.ts';
import type { Signer } from '../c2sp/note.ts';
import { verifierKey } from '../c2sp/verifierKey.ts';
import { receiptKeyContext } from '../tlog/receiptKeyTable.ts';
import type { GenerateReceiptKey } from './receiptKeys.ts';

/** Creates the signer of checkpoints with a KMS key. The key never leaves KMS. @param name the log's origin */
export async function kmsSigner(
  kms: KMSClient,
  keyArn: string,
  name: string,
  abortSignal: AbortSignal,
): Promise<Signer> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: keyArn }), { abortSignal });
  return {
    key: verifierKey(name, rawPublicKey(PublicKey as Uint8Array)),
    sign: async (message, signal) => {
      const command = new SignCommand({
        KeyId: keyArn,
        Message: message,
        MessageType: 'RAW',
        SigningAlgorithm: 'ED25519_SHA_512',
      });
      return (await kms.send(command, { abortSignal: signal })).Signature as Uint8Array;
    },
  };
}

/** Creates receipt keys in KMS. Only the upload function ever decrypts the private half. */
export const kmsReceiptKey =
  (kms: KMSClient, keyArn: string): GenerateReceiptKey =>
  async (origin, abortSignal) => {
    const command = new GenerateDataKeyPairWithoutPlaintextCommand({
      KeyId: keyArn,
      KeyPairSpec: 'ECC_NIST_EDWARDS25519',
      EncryptionContext: receiptKeyContext(origin),
    });
    const { PublicKey, PrivateKeyCiphertextBlob } = await kms.send(command, { abortSignal });
    return { publicKey: PublicKey as Uint8Array, sealedPrivateKey: PrivateKeyCiphertextBlob as Uint8Array };
  };
