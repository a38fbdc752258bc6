import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { rawPublicKey } from '../c2sp/ed25519.ts';
import type { Signer } from '../c2sp/note.ts';
import { verifierKey } from '../c2sp/verifierKey.ts';

/** Returns the signer of checkpoints with a KMS key. The key never leaves KMS. @param name the log's origin */
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
      const { Signature } = await kms.send(
        new SignCommand({
          KeyId: keyArn,
          Message: message,
          MessageType: 'RAW',
          SigningAlgorithm: 'ED25519_SHA_512',
        }),
        { abortSignal: signal },
      );
      return Signature as Uint8Array;
    },
  };
}
