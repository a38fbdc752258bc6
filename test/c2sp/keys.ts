import { generateKeyPairSync } from 'node:crypto';
import { cosignedMessage } from '../../functions/c2sp/cosignature.ts';
import { rawPublicKeyOf, signEd25519 } from '../../functions/c2sp/ed25519.ts';
import { formatSignature, type Signer } from '../../functions/c2sp/note.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';

/** A new key that signs notes. */
export function newSigner(name: string): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    key: verifierKey(name, rawPublicKeyOf(privateKey)),
    sign: async (message) => signEd25519(privateKey, message),
  };
}

/** A new witness that cosigns whatever it is given. */
export function newWitness(name: string) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = verifierKey(name, rawPublicKeyOf(privateKey), 'cosignature');
  return {
    key,
    /** Returns its signature line. @param timestamp seconds since 1970 */
    cosign(text: string, timestamp: number): string {
      const signature = Buffer.alloc(72);
      signature.writeBigUInt64BE(BigInt(timestamp));
      signature.set(signEd25519(privateKey, cosignedMessage(text, timestamp)), 8);
      return formatSignature({ name: key.name, id: key.id, signature });
    },
  };
}
