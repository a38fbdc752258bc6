import nodeCrypto, {
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as standIn from '../../../../cli/proof/page/crypto.ts';
import * as node from '../../../../cli/proof/page/node.ts';

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
const verify = ({ spki, message, signature }: Signed) =>
  standIn.verify(null, message, standIn.createPublicKey({ key: spki }), signature);
/** Expects the verdict of node:crypto, which must be this one. */
async function expectVerdict(one: Signed, holds: boolean): Promise<void> {
  const key = nodeCrypto.createPublicKey({ key: Buffer.from(one.spki), format: 'der', type: 'spki' });
  expect(nodeCrypto.verify(null, one.message, key, one.signature)).toBe(holds);
  expect(await standIn.verified(async () => verify(one))).toBe(holds);
}
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

  test('in parts, with a copy on the way', () => {
    const [own, other] = [standIn.createHash('sha256').update('a'), nodeCrypto.createHash('sha256').update('a')];
    expect(own.copy().update('x').digest('hex')).toBe(other.copy().update('x').digest('hex'));
    expect(own.update(bytes('b')).digest()).toEqual(other.update('b').digest());
  });
});

describe('signatures', () => {
  const valid = signed('valid');
  // biome-ignore format: one case a line
  test.each<[string, Signed, boolean]>([
    ['valid', valid, true],
    ['of another message', { ...valid, message: bytes('other') }, false],
    ['changed', { ...valid, signature: flip(valid.signature) }, false],
    ['changed at its end', { ...valid, signature: flip(valid.signature, 63) }, false],
    ['too short', { ...valid, signature: valid.signature.subarray(1) }, false],
    ['with a byte of the message at its end', { ...valid, signature: new Uint8Array([...valid.signature, 118]), message: bytes('alid') }, false],
    ['by another key', { ...valid, spki: signed('x').spki }, false],
    ['by no point of the curve', { ...valid, spki: new Uint8Array([...valid.spki.subarray(0, 12), ...new Uint8Array(32).fill(0xff)]) }, false],
  ])('%s: as node:crypto says', (_name, one, holds) => expectVerdict(one, holds));

  test('that hold take one step, and others a second one with the answers', async () => {
    const steps = async (given: readonly Signed[]) => {
      const seen: boolean[][] = [];
      const last = await standIn.verified(async () => seen[seen.push(given.map(verify)) - 1]);
      return { last, seen };
    };
    const [one, other] = [signed(randomBytes(8).toString('hex')), signed('other')];
    const forged = { ...other, signature: flip(other.signature) };
    expect(await steps([one, other])).toEqual({ last: [true, true], seen: [[true, true]] });
    const { last, seen } = await steps([forged, one]);
    expect(last).toEqual([false, true]);
    expect(seen).toEqual([[true, true], last]);
  });

  test('of steps that overlap are answered each', async () => {
    const forged = { ...valid, message: bytes(randomBytes(8).toString('hex')) };
    const step = () => standIn.verified(async () => verify(forged));
    const valids = standIn.verified(async () => verify(valid));
    expect(await Promise.all([step(), step(), valids])).toEqual([false, false, true]);
  });

  test('an error that follows from a signature taken for valid is never thrown', async () => {
    const forged = { ...valid, message: bytes(randomBytes(8).toString('hex')) };
    const step = async () => {
      if (verify(forged)) throw new Error('follows');
      return 'the truth';
    };
    expect(await standIn.verified(step)).toBe('the truth');
    await expect(standIn.verified(() => Promise.reject(new Error('always')))).rejects.toThrow('always');
  });

  test('by keys of other kinds are named', () => {
    const { publicKey } = generateKeyPairSync('ed448');
    expect(() => standIn.createPublicKey({ key: spkiOf(publicKey) })).toThrow('verifies only signatures of Ed25519');
  });
});

test('a file is read in pieces, in which no character is lost', async () => {
  const text = 'é\u{1f600}€'.repeat(300_000);
  node.folder.set('large', { file: new File([text], 'large'), bytes: new Uint8Array() });
  const decoder = new node.StringDecoder();
  const pieces: string[] = [];
  for await (const piece of node.createReadStream('large')) pieces.push(decoder.write(piece));
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('') + decoder.end() === text).toBe(true);
});

test.each<[unknown, unknown]>([
  [
    { a: 1, b: [1, { c: null }] },
    { b: [1, { c: null }], a: 1 },
  ],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
  [null, {}],
  ['1', 1],
  [[], {}],
])('%j and %j are equal or not, as node:util says', (one, other) => {
  expect(node.isDeepStrictEqual(one, other)).toBe(isDeepStrictEqual(one, other));
});
