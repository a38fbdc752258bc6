/**
 * Stands in for `node:crypto` on the page. WebCrypto verifies asynchronously, and the code of `ailog verify`
 * synchronously. So `verify` takes every new signature for valid and asks WebCrypto. If one is not, `verified` starts
 * again with the answers. What was only taken for valid is never shown.
 */
import { sha256 } from '@noble/hashes/sha2.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** The answers of WebCrypto by the hash of key, signature and message. */
const answers = new Map<string, boolean>();
const asked = new Map<string, Promise<boolean>>();

const bytesOf = (data: string | Bytes) => (typeof data === 'string' ? new TextEncoder().encode(data) : data);

const encode = (digest: Uint8Array, encoding: BufferEncoding | 'buffer') =>
  encoding === 'buffer' ? Buffer.from(digest) : Buffer.from(digest).toString(encoding);

const wrap = (state: ReturnType<typeof sha256.create>) => ({
  update(data: string | Bytes) {
    state.update(bytesOf(data));
    return this;
  },
  copy: () => wrap(state.clone()),
  digest: (encoding: BufferEncoding | 'buffer' = 'buffer') => encode(state.digest(), encoding),
});

export const createHash = (_algorithm: 'sha256') => wrap(sha256.create());

export const hash = (_algorithm: 'sha256', data: string | Bytes, encoding: BufferEncoding | 'buffer' = 'hex') =>
  encode(sha256(bytesOf(data)), encoding);

/** The bytes before the 32 bytes of an Ed25519 key in its SPKI form. */
const SPKI_PREFIX_BYTES = 12;

/** Returns the bytes of an Ed25519 key. @param key its SPKI form */
export function createPublicKey({ key }: { readonly key: Bytes }): Bytes {
  if (key.length !== SPKI_PREFIX_BYTES + 32) throw new Error('This page verifies only signatures of Ed25519');
  return key.subarray(SPKI_PREFIX_BYTES);
}

async function ask(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', imported, signature, message);
}

export function verify(_algorithm: null, message: Bytes, key: Bytes, signature: Bytes): boolean {
  if (signature.length !== 64) return false;
  const id = createHash('sha256').update(key).update(signature).update(message).digest('hex') as string;
  const answer = answers.get(id);
  // Bytes that are not a key verify nothing.
  const askNow = () => ask(key, message, signature).catch(() => false);
  if (answer === undefined && !asked.has(id)) asked.set(id, askNow());
  return answer ?? true;
}

let turn: Promise<unknown> = Promise.resolve();

/** Takes a step again until no signature in it is only taken for valid. Steps wait for each other. */
export function verified<Result>(step: () => Promise<Result>): Promise<Result> {
  const run = async (): Promise<Result> => {
    const [outcome] = await Promise.allSettled([step()]);
    const open = [...asked];
    asked.clear();
    for (const [id, answer] of open) answers.set(id, await answer);
    if (open.some(([id]) => !answers.get(id))) return run();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  const result = turn.then(run);
  turn = result.catch(() => {});
  return result;
}

export const hasEd25519 = (): Promise<boolean> =>
  Promise.resolve(crypto.subtle?.generateKey('Ed25519', false, ['verify', 'sign'])).then(Boolean, () => false);
