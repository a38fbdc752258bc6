import nodeCrypto, {
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as standIn from '../../../../cli/proof/page/crypto.ts';
import { parseNote } from '../../../../functions/c2sp/note.ts';
import { fixedKey } from '../../../c2sp/keys.ts';
import { textOf } from '../../../vectors/evidence/vectors.ts';

const spkiOf = (key: KeyObject) => new Uint8Array(key.export({ format: 'der', type: 'spki' }));
const bytes = (text: string) => new TextEncoder().encode(text);
/** Signs a text. @returns the key in SPKI form, the message and its signature */
const signedBy = ({ publicKey, privateKey }: KeyPairKeyObjectResult, text: string) => ({
  spki: spkiOf(publicKey),
  message: bytes(text),
  signature: new Uint8Array(sign(null, bytes(text), privateKey)),
});
const signed = (text: string) => signedBy(generateKeyPairSync('ed25519'), text);
type Signed = ReturnType<typeof signed>;
const flip = (value: Uint8Array<ArrayBuffer>, at = 0) => value.map((byte, index) => (index === at ? byte ^ 1 : byte));

describe('hashes are those of node:crypto', () => {
  test.each(['', 'abc', 'é\u{1f600}\ud83d', 'x'.repeat(1000)])('of %j', (text) => {
    for (const data of [text, bytes(text)]) {
      for (const encoding of ['hex', 'base64', 'binary'] as const) {
        expect(standIn.hash('sha256', data, encoding)).toBe(nodeCrypto.hash('sha256', data, encoding));
      }
      expect(standIn.hash('sha256', data)).toBe(nodeCrypto.hash('sha256', data));
      expect(standIn.hash('sha256', data, 'buffer')).toEqual(nodeCrypto.hash('sha256', data, 'buffer'));
    }
  });

  test('in parts', () => {
    const [own, other] = [standIn.createHash('sha256').update('a'), nodeCrypto.createHash('sha256').update('a')];
    expect(own.update(bytes('b')).digest()).toEqual(other.update('b').digest());
  });
});

/** Reads the first signature of the log in a vector. */
function inVector(name: string): Signed {
  const { text, signatures } = parseNote(JSON.parse(textOf(name).split('\n', 1).join()).checkpoint);
  const spki = spkiOf(nodeCrypto.createPublicKey(fixedKey(1)));
  return { spki, message: bytes(text), signature: new Uint8Array(signatures[0]?.signature ?? []) };
}

describe('signatures', () => {
  const valid = signed(randomBytes(8).toString('hex'));
  // biome-ignore format: one case a line
  test.each<[string, Signed, boolean]>([
    ['valid', valid, true],
    ['of another message', { ...valid, message: bytes('other') }, false],
    ['changed', { ...valid, signature: flip(valid.signature) }, false],
    ['changed at its end', { ...valid, signature: flip(valid.signature, 63) }, false],
    ['too short', { ...valid, signature: valid.signature.subarray(1) }, false],
    ['too long', { ...valid, signature: new Uint8Array([...valid.signature, 0]) }, false],
    ['by another key', { ...valid, spki: signed('x').spki }, false],
    ['by no point of the curve', { ...valid, spki: new Uint8Array([...valid.spki.subarray(0, 12), ...new Uint8Array(32).fill(0xff)]) }, false],
    ['that needs the cofactor', inVector('signature-that-needs-the-cofactor.jsonl'), false],
    ['above the order of the group', inVector('signature-above-the-order-of-the-group.jsonl'), false],
    ['of a vector', inVector('checkpoint-with-another-line.jsonl'), true],
  ])('%s: as node:crypto says', (_name, { spki, message, signature }, holds) => {
    const key = nodeCrypto.createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    expect(nodeCrypto.verify(null, message, key, signature)).toBe(holds);
    expect(standIn.verify(null, message, standIn.createPublicKey({ key: spki }), signature)).toBe(holds);
  });
});
