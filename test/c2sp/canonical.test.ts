/** The details by which other programs tell these formats from ones that only look like them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatTlogProof } from '../../cli/proof/evidence/statement.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { EMPTY_ROOT } from '../../functions/c2sp/hashing.ts';
import { formatSignature, parseNote, signNote, verifyNote } from '../../functions/c2sp/note.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { partialTiles } from '../../functions/c2sp/rightEdge.ts';
import { levelsOf } from '../../functions/c2sp/tiles.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from './keys.ts';

const ORIGIN = 'example.com/log';
const never = new AbortController().signal;
const signer = newSigner(ORIGIN);
const witness = newWitness('witness.example');
const text = formatCheckpoint({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });
const signed = await signNote(text, [signer], never);
const policy = parsePolicy(`log ${formatVerifierKey(signer.key)}\nquorum none\n`);

test('the checkpoint of an empty log has the size 0 and the hash of nothing', () => {
  expect(text).toBe(`${ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
  expect(openCheckpoint(signed, policy)).toMatchObject({ size: 0, root: EMPTY_ROOT });
});

test('notes, proof files and verifier keys have no byte that is not needed', () => {
  const whole = formatTlogProof(0, [], signed + witness.cosign(text, 1_700_000_000));
  expect(whole).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 0\n\nexample\.com\/log\n0\n\S{44}\n\n(— \S+ \S+\n){2}$/);
  expect(whole).not.toMatch(/\r|[ \t]\n|\n\n\n|\n$\n/);
  // 4 bytes of key id and 64 of signature; with 8 bytes of time for a witness.
  expect(parseNote(signed).signatures.map(({ signature }) => signature.length)).toEqual([64]);
  expect(
    parseNote(text + signed.slice(text.length, text.length + 1) + witness.cosign(text, 1)).signatures,
  ).toMatchObject([{ signature: { length: 72 } }]);
});

test.each([
  ['a log', signer.key, 0x01],
  ['a witness', witness.key, 0x04],
])('the key id of %s is the hash of name, newline, type and key, big-endian', (_whose, key, type) => {
  const hash = createHash('sha256').update(`${key.name}\n`).update(Buffer.of(type)).update(key.publicKey).digest();
  expect(key.id).toBe(hash.readUInt32BE());
  // The base64 text may have a plus sign too.
  const [, name, id, encoded] = /^(.*?)\+(.{8})\+(.*)$/.exec(formatVerifierKey(key)) ?? [];
  expect([name, id]).toEqual([key.name, hash.subarray(0, 4).toString('hex')]);
  expect(Buffer.from(encoded as string, 'base64')).toEqual(Buffer.concat([Buffer.of(type), key.publicKey]));
});

test.each([
  ['a space at the end of a line', (note: string) => note.replace('\n0\n', '\n0 \n')],
  ['a root without padding', (note: string) => note.replace('uFU=', 'uFU')],
  ['a space at the end of a signature', (note: string) => note.replace(/\n$/, ' \n')],
  ['two spaces before a signature', (note: string) => note.replace(`— ${ORIGIN} `, `— ${ORIGIN}  `)],
  ['a newline too many at its end', (note: string) => `${note}\n`],
  ['a byte-order mark', (note: string) => `\ufeff${note}`],
])('a checkpoint with %s is rejected', (_what, change) => {
  expect(change(signed)).not.toBe(signed);
  expect(() => openCheckpoint(change(signed), policy)).toThrow();
});

test.each(['\ufeffname', 'na\u007fme', 'na\u0081me', 'ключ', '日本', 'name#1', 'a'.repeat(500)])(
  'the signature of an unknown key %j is ignored: its name has no space and no "+"',
  (name) => {
    const unknown = formatSignature({ name, id: 7, signature: Buffer.alloc(3000, 1) });
    expect(verifyNote(parseNote(signed + unknown), [signer.key])).toEqual([signer.key]);
    expect(openCheckpoint(signed + unknown, policy).size).toBe(0);
  },
);

test.each(['na\u00a0me', 'na\u2003me', 'na\u0085me', 'na+me', 'na\u3000me'])('a signature by %j is none', (name) => {
  const line = formatSignature({ name, id: 7, signature: Buffer.alloc(64) });
  expect(() => parseNote(signed + line)).toThrow(/signature line|key name/);
});

test('in a policy, only spaces and tabs separate words', () => {
  const key = formatVerifierKey(newWitness('w.example').key);
  const named = parsePolicy(`witness a\u00a0b ${key}\nquorum a\u00a0b\n`);
  expect([...named.witnesses.keys()]).toEqual(['a\u00a0b']);
  expect(named.quorum.members).toEqual(['a\u00a0b']);
});

test.each([
  [1, ['0/0/1']],
  [255, ['0/0/255']],
  [256, ['1/0/1']],
  [257, ['0/1/1', '1/0/1']],
  [65_535, ['0/255/255', '1/0/255']],
  [65_536, ['2/0/1']],
  [65_537, ['0/256/1', '2/0/1']],
  [256 ** 3, ['3/0/1']],
  [256 ** 4 + 256, ['1/65536/1', '4/0/1']],
  [256 ** 6 + 1, [`0/${256 ** 5}/1`, '6/0/1']],
])('a tree of %d leaves has the partial tiles %j', (size, wanted) => {
  const { hashes, bundle } = partialTiles(size);
  const tiles = hashes.flatMap((tile) => (tile ? [`${tile.level}/${tile.index}/${tile.width}`] : []));
  expect(tiles).toEqual(wanted);
  // A partial bundle belongs to the partial tile of level 0.
  const width = size % 256;
  expect(bundle).toEqual(width === 0 ? undefined : { level: 'entries', index: (size - width) / 256, width });
  expect(levelsOf(size).length).toBe(Math.floor(Math.log2(size) / 8) + 1);
});
