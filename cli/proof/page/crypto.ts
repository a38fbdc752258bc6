/** `node:crypto` for the page, as far as the code of `ailog verify` needs it: all of it answers at once. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes } from '@noble/curves/utils.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

const { Point } = ed25519;

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

const SPKI_PREFIX_BYTES = 12;

/** Takes the bytes of an Ed25519 key out of its SPKI form. */
export const createPublicKey = ({ key }: { readonly key: Uint8Array }): Uint8Array => key.subarray(SPKI_PREFIX_BYTES);

/**
 * Checks a signature as RFC 8032 says, without the cofactor, as Node does: its first half must be the very point that
 * follows from the rest. Bytes that are no key or no signature verify nothing.
 */
export function verify(_algorithm: null, message: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  const [point, scalar] = [signature.subarray(0, 32), signature.subarray(32)];
  try {
    const challenge = Point.Fn.create(bytesToNumberLE(sha512(concatBytes(point, key, message))));
    const product = Point.fromBytes(key).multiplyUnsafe(challenge);
    const expected = Point.BASE.multiplyUnsafe(bytesToNumberLE(scalar)).subtract(product);
    return scalar.length === 32 && Buffer.compare(expected.toBytes(), point) === 0;
  } catch {
    return false;
  }
}
