import { createHash } from 'node:crypto';
import { decodeBase64 } from './base64.ts';

/** The identifier bytes of the types of signatures, all of Ed25519. Source: C2SP signed-note, "Signature types". */
const SIGNATURE_TYPES = {
  note: 0x01,
  /** A checkpoint and the time at which a witness saw it. */
  cosignature: 0x04,
} as const;

const KEY_BYTES = 32;

export type SignatureType = keyof typeof SIGNATURE_TYPES;

/** A public key with the name and id that its signatures have in notes. */
export interface VerifierKey {
  readonly name: string;
  /** The first four bytes of a hash over name, type and public key, as a number. */
  readonly id: number;
  readonly type: SignatureType;
  /** 32 bytes of Ed25519. */
  readonly publicKey: Uint8Array;
}

/** Checks the name of a key. Source: C2SP signed-note, "Format". @throws Error if it is empty, or has spaces or "+" */
export function requireKeyName(name: string): void {
  // `\s` would reject U+FEFF too, which is no Unicode space.
  if (name !== '' && !/[+\p{White_Space}[\p{Cc}--[\u007f-\u009f]]]/v.test(name)) return;
  throw new Error(`A key name is not empty and has neither spaces nor "+": ${JSON.stringify(name)}.`);
}

/** Returns the verifier key of a public key. Source: C2SP signed-note, "Signatures". @throws Error of the name */
export function verifierKey(name: string, publicKey: Uint8Array, type: SignatureType = 'note'): VerifierKey {
  requireKeyName(name);
  const hash = createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(SIGNATURE_TYPES[type]))
    .update(publicKey)
    .digest();
  return { name, id: hash.readUInt32BE(), type, publicKey };
}

/** Returns the id of a key as a verifier key has it: eight hex digits. */
export const hexId = (id: number): string => id.toString(16).padStart(8, '0');

/** Returns `<name>+<id in hex>+<base64 of type and public key>`. Source: C2SP signed-note, "Verifier keys". */
export function formatVerifierKey({ name, id, type, publicKey }: VerifierKey): string {
  const material = Buffer.concat([Uint8Array.of(SIGNATURE_TYPES[type]), publicKey]);
  return `${name}+${hexId(id)}+${material.toString('base64')}`;
}

/** Reads a verifier key. @throws Error that says what is wrong with its parts, its type, its length or its id */
export function parseVerifierKey(text: string): VerifierKey {
  // The base64 part may hold plus signs, the name may not.
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  if (name === '') throw new Error(`A verifier key is <name>+<8 hex digits>+<base64>, not ${JSON.stringify(text)}.`);
  const material = decodeBase64(encoded, `The verifier key of ${name}`);
  const type = (Object.keys(SIGNATURE_TYPES) as SignatureType[]).find((one) => SIGNATURE_TYPES[one] === material[0]);
  if (!type || material.length !== 1 + KEY_BYTES)
    throw new Error(`The verifier key of ${name} must have the type 0x01 or 0x04 with 32 bytes of Ed25519.`);
  const key = verifierKey(name, material.subarray(1), type);
  if (hexId(key.id) !== id)
    throw new Error(`The verifier key of ${name} has the id ${id}; the id of its key is ${hexId(key.id)}.`);
  return key;
}
