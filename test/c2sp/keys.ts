import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { cosignedMessage } from '../../functions/c2sp/cosignature.ts';
import { rawPublicKeyOf, signEd25519 } from '../../functions/c2sp/ed25519.ts';
import { formatSignature, type Signer } from '../../functions/c2sp/note.ts';
import { verifierKey } from '../../functions/c2sp/verifierKey.ts';

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

/** Returns the Ed25519 key of 32 equal bytes, for files that must always be the same. */
export const fixedKey = (byte: number): KeyObject =>
  createPrivateKey({
    // The PKCS #8 form of a key. Source: RFC 8410, section 7.
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });

/** A key that signs notes, by default a new one. */
export function newSigner(name: string, privateKey = newKey()): Signer {
  return {
    key: verifierKey(name, rawPublicKeyOf(privateKey)),
    sign: async (message) => signEd25519(privateKey, message),
  };
}

/** A witness that cosigns whatever it is given, by default with a new key. */
export function newWitness(name: string, privateKey = newKey()) {
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
