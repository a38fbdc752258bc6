/** What the code of `ailog verify` imports from `node:crypto`, for the page: all of it answers at once. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';

type Encoding = BufferEncoding | 'buffer';

const bytesOf = (data: string | Uint8Array): Uint8Array => Buffer.from(data as string);
const encode = (digest: Uint8Array, encoding: Encoding) =>
  encoding === 'buffer' ? Buffer.from(digest) : Buffer.from(digest).toString(encoding);

export const hash = (_algorithm: 'sha256', data: string | Uint8Array, encoding: Encoding = 'hex') =>
  encode(sha256(bytesOf(data)), encoding);

export function createHash(_algorithm: 'sha256') {
  const state = sha256.create();
  const wrapped = {
    update: (data: string | Uint8Array) => {
      state.update(bytesOf(data));
      return wrapped;
    },
    digest: (encoding: Encoding = 'buffer') => encode(state.digest(), encoding),
  };
  return wrapped;
}

/** The bytes before the 32 bytes of an Ed25519 key in its SPKI form. */
const SPKI_PREFIX_BYTES = 12;

/** Returns the bytes of an Ed25519 key. @param key its SPKI form */
export const createPublicKey = ({ key }: { readonly key: Uint8Array }): Uint8Array => key.subarray(SPKI_PREFIX_BYTES);

/** Checks a signature as RFC 8032 says. Bytes that are no key or no signature verify nothing. */
export function verify(_algorithm: null, message: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
}
