import { generateKeyPairSync, sign } from 'node:crypto';
import { cosignedMessage, cosignedSubtree } from '../../functions/c2sp/cosignature.ts';
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

/**
 * A new witness with an ML-DSA-44 key that cosigns whatever it is given.
 * @param id pretends to have the key of this id
 */
export function newMlDsaWitness(name: string, id?: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-1312);
  const key = verifierKey(name, raw, 'cosignature ML-DSA-44');
  return {
    key,
    /** Returns its signature line. @param timestamp seconds since 1970 */
    cosign(text: string, timestamp: number): string {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(timestamp));
      const signature = Buffer.concat([time, sign(null, cosignedSubtree(name, text, timestamp), privateKey)]);
      return formatSignature({ name, id: id ?? key.id, signature });
    },
  };
}
