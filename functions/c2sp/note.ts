// This folder implements the formats of C2SP itself: docs/decisions.md#own-tlog-code says why.
import { decodeBase64 } from './base64.ts';
import { verifyCosignature } from './cosignature.ts';
import { verifyEd25519 } from './ed25519.ts';
import { requireKeyName, type VerifierKey } from './verifierKey.ts';

export interface NoteSignature {
  readonly name: string;
  readonly id: number;
  /** The bytes after the id: 64 bytes of Ed25519, or a timestamp and a signature. */
  readonly signature: Uint8Array;
}

/** A note: its text, which ends in a newline, and its signatures. */
export type Note = Readonly<{ text: string; signatures: readonly NoteSignature[] }>;

export interface Signer {
  readonly key: VerifierKey;
  readonly sign: (message: Uint8Array, abortSignal: AbortSignal) => Promise<Uint8Array>;
}

/** The most signatures of a note. Notes of this service have far fewer. */
const SIGNATURES_LIMIT = 100;

const isNoteText = (text: string) => text.isWellFormed() && !/[^\P{Cc}\n\u007f-\u009f]/u.test(text);

export function formatSignature({ name, id, signature }: NoteSignature): string {
  const bytes = Buffer.alloc(4 + signature.length);
  bytes.writeUInt32BE(id);
  bytes.set(signature, 4);
  return `— ${name} ${bytes.toString('base64')}\n`;
}

/** Returns a signed note. Source: C2SP signed-note, "Format". @throws Error if the text is not valid in a note */
export function formatNote({ text, signatures }: Note): string {
  if (!text.endsWith('\n') || !isNoteText(text)) {
    throw new Error('The text of a note ends in a newline and has no other control characters.');
  }
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** Reads signature lines, such as the response of a witness. @throws Error that quotes the first invalid line */
export function parseSignatures(lines: string): NoteSignature[] {
  if (!lines.endsWith('\n')) throw new Error('A signature line of a note ends in a newline.');
  return lines
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [, name = '', encoded = ''] = /^— ([^ ]+) ([^ ]+)$/u.exec(line) ?? [];
      if (name === '') throw new Error(`Not a signature line of a note: ${JSON.stringify(line.slice(0, 200))}.`);
      requireKeyName(name);
      const bytes = decodeBase64(encoded, `The signature of ${name}`);
      if (bytes.length < 5) throw new Error(`The signature of ${name} is too short.`);
      return { name, id: bytes.readUInt32BE(), signature: bytes.subarray(4) };
    });
}

/** Reads a note. Its text is not trusted before `verifyNote`. @throws Error if it is not a note */
export function parseNote(note: string): Note {
  if (!isNoteText(note)) throw new Error('A note has no control characters besides newlines.');
  const end = note.lastIndexOf('\n\n');
  if (end < 0) throw new Error('A note has an empty line between its text and its signatures.');
  const signatures = parseSignatures(note.slice(end + 2));
  if (signatures.length > SIGNATURES_LIMIT) throw new Error(`The note has more than ${SIGNATURES_LIMIT} signatures.`);
  return { text: note.slice(0, end + 1), signatures };
}

function holds(text: string, { signature }: NoteSignature, key: VerifierKey): boolean {
  return key.type === 'note'
    ? verifyEd25519(key.publicKey, Buffer.from(text), signature)
    : verifyCosignature(key, text, signature);
}

/**
 * Returns the given keys that signed a note, and ignores other signatures. Source: C2SP signed-note, "Signatures".
 * @throws Error if the signature of a given key is wrong: the note was changed and cannot be trusted
 */
export function verifyNote({ text, signatures }: Note, keys: readonly VerifierKey[]): VerifierKey[] {
  return keys.filter((key) => {
    const own = signatures.filter(({ name, id }) => name === key.name && id === key.id);
    if (own.every((signature) => holds(text, signature, key))) return own.length > 0;
    throw new Error(`The signature of ${key.name} is wrong: the note is not what that key signed.`);
  });
}

/** Signs a text with every key, and returns the note. @throws Error if a key's own signature does not verify */
export async function signNote(text: string, signers: readonly Signer[], abortSignal: AbortSignal): Promise<string> {
  const signatures = await Promise.all(
    signers.map(async ({ key, sign }) => ({
      name: key.name,
      id: key.id,
      signature: await sign(Buffer.from(text), abortSignal),
    })),
  );
  const keys = signers.map(({ key }) => key);
  verifyNote({ text, signatures }, keys);
  return formatNote({ text, signatures });
}
