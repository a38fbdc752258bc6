/** The whole messages about what is not a part of a log, and the inputs next to the limits. */
import { describe, expect, test } from 'vitest';
import { decodeHash } from '../../functions/c2sp/base64.ts';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { readCosignature } from '../../functions/c2sp/cosignature.ts';
import { rawPublicKey } from '../../functions/c2sp/ed25519.ts';
import { EMPTY_ROOT } from '../../functions/c2sp/hashing.ts';
import { formatSignature, parseNote, parseSignatures, signNote, verifyNote } from '../../functions/c2sp/note.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { consistencyRanges, inclusionRanges, verifyConsistency, verifyInclusion } from '../../functions/c2sp/proofs.ts';
import { bundledEntry, bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { parseSize } from '../../functions/c2sp/treeSize.ts';
import { formatVerifierKey, parseVerifierKey, verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { receiptKeyName } from '../../functions/tlog/receiptKeyNote.ts';
import { receiptKeyContext } from '../../functions/tlog/receiptKeyTable.ts';
import { newSigner, newWitness } from './keys.ts';

const hash = (fill: number) => Buffer.alloc(32, fill);
const base64 = (length: number) => Buffer.alloc(length).toString('base64');
const line = formatSignature({ name: 'a', id: 7, signature: Buffer.alloc(64) });
const logKey = newSigner('example.com/log').key;
const log = formatVerifierKey(logKey);
const [one, two] = [newWitness('one'), newWitness('two')];

const SIGNATURE_LINE_END = 'A signature line of a note ends in a newline.';
const CHECKPOINT_LINES = 'A checkpoint is three or more lines without an empty one: origin, tree size, root hash.';
const NOT_SPKI = 'The key is not an Ed25519 public key in SPKI form.';

/** What throws: a label, the call, and its message. */
// biome-ignore format: one case a line
const rejections: [string, () => unknown, string][] = [
  ['a hash of 31 bytes', () => decodeHash(base64(31), 'A root'), 'A root has 31 bytes instead of 32.'],
  ['a checkpoint of two lines', () => parseCheckpoint('a\n1\n'), CHECKPOINT_LINES],
  ['a checkpoint with an empty line', () => parseCheckpoint(`a\n1\n${base64(32)}\n\n`), CHECKPOINT_LINES],
  ['a checkpoint without an origin', () => parseCheckpoint(`\n1\n${base64(32)}\n`), CHECKPOINT_LINES],
  ['a checkpoint of three lines and no newline', () => parseCheckpoint(`a\n1\n${base64(32)}`), CHECKPOINT_LINES],
  ['a checkpoint with a root of 31 bytes', () => parseCheckpoint(`a\n1\n${base64(31)}\n`), 'The root hash of the checkpoint has 31 bytes instead of 32.'],
  ['a checkpoint with a signed size', () => parseCheckpoint(`a\n+1\n${base64(32)}\n`), 'The tree size must be a decimal number without leading zeros, not "+1".'],
  ['a size with a leading zero', () => parseSize('0300'), 'The tree size must be a decimal number without leading zeros, not "0300".'],
  ['a size beyond 2^53', () => parseSize('9007199254740993'), 'The tree size must be an integer from 0 to 2^53 - 1, not 9007199254740992.'],
  ['a size that is not a number', () => parseSize('x'), 'The tree size must be a decimal number without leading zeros, not "x".'],
  ['a key of the right length without the form', () => rawPublicKey(Buffer.alloc(44)), NOT_SPKI],
  ['a key with bytes after it', () => rawPublicKey(Buffer.concat([spki(), Buffer.alloc(1)])), NOT_SPKI],
  ['a key that ends early', () => rawPublicKey(spki().subarray(0, -1)), NOT_SPKI],
  ['an entry of 65 536 bytes', () => bundledEntry(Buffer.alloc(0x10000)), 'A log entry has at most 65535 bytes, not 65536.'],
  ['a bundle of none', () => readBundle(Buffer.alloc(0), 0), 'The entry bundle holds 0 entries instead of 0.'],
  ['a bundle of 257', () => readBundle(Buffer.alloc(2 * 257), 257), 'The entry bundle holds 257 entries instead of 257.'],
  ['a signature line without a newline', () => parseSignatures(line.trimEnd()), SIGNATURE_LINE_END],
  ['no signature line', () => parseSignatures(''), SIGNATURE_LINE_END],
  ['text before a signature line', () => parseSignatures(`x${line}`), `Not a signature line of a note: ${JSON.stringify(`x${line.trimEnd()}`)}.`],
  ['text after a signature line', () => parseSignatures(`${line.trimEnd()} x\n`), `Not a signature line of a note: ${JSON.stringify(`${line.trimEnd()} x`)}.`],
  ['a long line', () => parseSignatures(`${'x'.repeat(300)}\n`), `Not a signature line of a note: "${'x'.repeat(200)}".`],
  ['a key name with a plus sign', () => parseSignatures(line.replace('a', 'a+b')), 'A key name is not empty and has neither spaces nor "+": "a+b".'],
  ['a signature of 4 bytes', () => parseSignatures(`— a ${base64(4)}\n`), 'The signature of a is too short.'],
  ['a note without an empty line', () => parseNote(`text\n${line}`), 'A note has an empty line between its text and its signatures.'],
  ['a note of 101 signatures', () => parseNote(`text\n\n${line.repeat(101)}`), 'The note has more than 100 signatures.'],
  ['text before a verifier key', () => parseVerifierKey(`+${log}`), `A verifier key is <name>+<8 hex digits>+<base64>, not "+${log}".`],
  ['a line after a verifier key', () => parseVerifierKey(`${log}\nx`), `A verifier key is <name>+<8 hex digits>+<base64>, not ${JSON.stringify(`${log}\nx`)}.`],
  ['a verifier key without padding', () => parseVerifierKey(`a+00000000+${base64(32).replace('=', '')}`), 'The verifier key of a is not standard base64 with padding.'],
  ['a leaf beyond the tree', () => verifyInclusion([], { index: 0, size: -1, leafHash: hash(0), root: hash(0) }), 'The tree size must be an integer from 0 to 2^53 - 1, not -1.'],
  ['a leaf before the tree', () => verifyInclusion([], { index: -1, size: 1, leafHash: hash(0), root: hash(0) }), 'The leaf index must be an integer from 0 to 2^53 - 1, not -1.'],
  ['ranges of a leaf before the tree', () => inclusionRanges(-1, 5), 'The leaf index must be an integer from 0 to 2^53 - 1, not -1.'],
  ['a leaf of no tree', () => inclusionRanges(5, 5), 'The tree has 5 leaves; there is no leaf 5.'],
  ['a larger tree before a smaller one', () => consistencyRanges(2, 1), 'A tree of 2 leaves cannot come before one of 1.'],
  ['a consistency proof from a negative size', () => verifyConsistency([], { size: -1, root: hash(0) }, { size: 1, root: hash(0) }), 'The tree size must be an integer from 0 to 2^53 - 1, not -1.'],
  ['a consistency proof to a fraction', () => verifyConsistency([], { size: 1, root: hash(0) }, { size: 1.5, root: hash(0) }), 'The tree size must be an integer from 0 to 2^53 - 1, not 1.5.'],
  ['ranges to a fraction', () => consistencyRanges(0, 1.5), 'The tree size must be an integer from 0 to 2^53 - 1, not 1.5.'],
];

test.each(rejections)('%s is rejected', (_what, call, message) => {
  expect(messageOf(call)).toBe(message);
});

describe('at a limit', () => {
  test('an entry of 65 535 bytes and one of no bytes are entries of a bundle', () => {
    const bundle = Buffer.concat([bundledEntry(Buffer.alloc(0xffff, 1)), bundledEntry(Buffer.alloc(0))]);
    expect(readBundle(bundle, 2).map(({ length }) => length)).toEqual([0xffff, 0]);
    expect(readBundle(bundledEntry(Buffer.from('a')), 1)).toEqual([Buffer.from('a')]);
    expect(readBundle(Buffer.alloc(2 * 256), 256)).toHaveLength(256);
  });

  test('a note has up to 100 signatures, of one byte or more, and may have an empty first line as its text', () => {
    expect(parseNote(`text\n\n${line.repeat(100)}`).signatures).toHaveLength(100);
    expect(parseSignatures(`— a ${base64(5)}\n`)).toMatchObject([{ name: 'a', id: 0, signature: { length: 1 } }]);
    expect(parseNote(`\n\n${line}`).text).toBe('\n');
  });

  test('a note is checked by the keys with the name and the id of its signature', () => {
    const note = { text: 'a\n', signatures: [{ name: 'a', id: one.key.id, signature: Buffer.alloc(64) }] };
    expect(verifyNote(note, [one.key])).toEqual([]);
  });

  test.each([
    [71, 1n, undefined],
    [72, 0n, undefined],
    [72, 1n, 1],
    [72, 8_640_000_000_000n, 8_640_000_000_000],
    [72, 8_640_000_000_001n, undefined],
    [73, 1n, undefined],
  ])('a cosignature of %i bytes and second %i has the time %s', (length, second, time) => {
    const bytes = Buffer.alloc(length);
    bytes.writeBigUInt64BE(second);
    expect(readCosignature(bytes)?.timestamp).toBe(time);
  });

  test('an id keeps its zeros', () => {
    const keys = Array.from({ length: 2000 }, (_, index) => verifierKey(`k${index}`, hash(1)));
    const small = keys.find(({ id }) => id < 0x1000000) as (typeof keys)[number];
    expect(formatVerifierKey(small)).toMatch(/^k\d+\+0[0-9a-f]{7}\+/);
    expect(parseVerifierKey(formatVerifierKey(small))).toEqual(small);
  });
});

test('the cosignature of a witness counts with its own time, wherever it stands among others', async () => {
  const signer = newSigner('example.com/log');
  const policy = parsePolicy(
    `log ${formatVerifierKey(signer.key)}\nwitness A ${formatVerifierKey(one.key)}\nwitness B ${formatVerifierKey(two.key)}\nquorum none\n`,
  );
  const text = `example.com/log\n1\n${base64(32)}\n`;
  const signed = await signNote(text, [signer], new AbortController().signal);
  const sameName = newWitness('one').cosign(text, 3);
  const sameId = formatSignature({ name: 'x', id: one.key.id, signature: Buffer.alloc(72, 9) });
  const opened = openCheckpoint(signed + sameName + sameId + two.cosign(text, 2) + one.cosign(text, 1), policy);
  expect(opened.cosigned).toEqual(
    new Map([
      ['A', 1],
      ['B', 2],
    ]),
  );
});

describe('proofs that are not proofs', () => {
  const tree = { size: 3, root: hash(3) };

  test('between two trees of one size and another root, or of falling sizes', () => {
    expect(verifyConsistency([], tree, { ...tree, root: hash(4) })).toBe(false);
    expect(verifyConsistency([hash(1)], { size: 4, root: hash(3) }, tree)).toBe(false);
    expect(verifyConsistency([], tree, { size: 5, root: hash(4) })).toBe(false);
  });

  test.each([0, 31, 33])('with a hash of %i bytes, also beside whole ones', (length) => {
    const short = Buffer.alloc(length);
    expect(verifyConsistency([], { size: 1, root: short }, { size: 1, root: short })).toBe(false);
    expect(verifyConsistency([], { size: 0, root: short }, tree)).toBe(false);
    expect(verifyConsistency([], { size: 0, root: EMPTY_ROOT }, { size: 0, root: hash(1) })).toBe(false);
    expect(verifyInclusion([], { index: 0, size: 1, leafHash: short, root: short })).toBe(false);
  });

  test('equal trees need no hashes', () => {
    expect(consistencyRanges(5, 5)).toEqual([]);
    expect(consistencyRanges(0, 5)).toEqual([]);
  });
});

describe('tiles', () => {
  test('a full last bundle is followed by none', () => {
    expect([...bundlesFrom(256, 512)].map(tilePath)).toEqual(['tile/entries/001']);
    expect([...bundlesFrom(300, 513)].map(tilePath)).toEqual(['tile/entries/001', 'tile/entries/002.p/1']);
  });

  test('the hash of a leaf is read at its place; a tile of another length is rejected', async () => {
    const tile = Buffer.concat([hash(0), hash(1), hash(2)]);
    expect((await treeReader(async () => tile, 3).inclusionProof(0))[0]).toEqual(hash(1));
    await expect(treeReader(async () => tile, 4).inclusionProof(0)).rejects.toThrow(
      'Tile 0 of level 0 has 96 bytes instead of 128.',
    );
  });
});

test('the key of receipts has the name of its log and a context of its own', () => {
  expect(receiptKeyName('example.com/log')).toBe('example.com/log/receipts');
  expect(receiptKeyContext('example.com/log')).toEqual({ purpose: 'receipts', origin: 'example.com/log' });
});

/** A public key in the form that KMS returns. */
function spki(): Buffer {
  return Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), hash(1)]);
}

function messageOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
