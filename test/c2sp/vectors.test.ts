import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { readCosignature } from '../../functions/c2sp/cosignature.ts';
import { formatNote, parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import { verifyConsistency, verifyInclusion } from '../../functions/c2sp/proofs.ts';
import { formatVerifierKey, parseVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import notes from '../vectors/note.json' with { type: 'json' };

const bytes = (text: string | null) => Buffer.from(text ?? '', 'base64');

/** Returns true if a check accepts what it gets. To throw is to reject. */
function accepts(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

type Vector = Readonly<{ file: string; proof: readonly string[] | null; wantErr: boolean }>;
type Inclusion = Vector & Record<'leafIdx' | 'treeSize', number> & Record<'root' | 'leafHash', string>;
type Consistency = Vector & Record<'size1' | 'size2', number> & Record<'root1' | 'root2', string>;

/** The proofs of a kind, one per line. */
const proofs = <Kind extends Vector>(kind: string): Kind[] =>
  readFileSync(new URL('../vectors/proofs.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Kind => JSON.parse(line))
    .filter(({ file }) => file.startsWith(`testdata/${kind}/`));

describe('published proofs', () => {
  test.each(proofs<Inclusion>('inclusion'))('$file', ({ leafIdx, treeSize: size, root, leafHash, proof, wantErr }) => {
    const leaf = { index: leafIdx, size, leafHash: bytes(leafHash), root: bytes(root) };
    expect(accepts(() => verifyInclusion((proof ?? []).map(bytes), leaf))).toBe(!wantErr);
  });

  test.each(proofs<Consistency>('consistency'))('$file', ({ size1, size2, root1, root2, proof, wantErr }) => {
    const [from, to] = [
      { size: size1, root: bytes(root1) },
      { size: size2, root: bytes(root2) },
    ];
    // One vector has roots that are not hashes, which this project never accepts.
    const areHashes = from.root.length === 32 && to.root.length === 32;
    expect(accepts(() => verifyConsistency((proof ?? []).map(bytes), from, to))).toBe(!wantErr && areHashes);
  });
});

describe('published notes', () => {
  test.each(notes.verified)('$source: verifies, and is written as it was read', ({ verifierKey, note }) => {
    const key = parseVerifierKey(verifierKey);
    expect(formatVerifierKey(key)).toBe(verifierKey);
    expect(verifyNote(parseNote(note), [key])).toEqual([key]);
    expect(formatNote(parseNote(note))).toBe(note);
  });

  test.each(notes.withoutKey)('$source: is written as it was read', ({ note }) => {
    expect(formatNote(parseNote(note))).toBe(note);
  });

  test('a checkpoint with a cosignature: its size, its origin, and the time of the witness', () => {
    const { text, signatures } = parseNote(notes.withoutKey.at(-1)?.note as string);
    expect(parseCheckpoint(text)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 });
    expect(signatures.map(({ name }) => name)).toEqual(['example.com/behind-the-sofa', 'witness.example.com/w1']);
    // The same time as in the example of the signed message.
    expect(signatures.map(({ signature }) => readCosignature(signature)?.timestamp)).toEqual([
      undefined,
      1_679_315_147,
    ]);
  });

  test('the key of a witness in use, of type 0x04, has the id that it was published with', () => {
    const published = 'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2';
    expect(formatVerifierKey(parseVerifierKey(published))).toBe(published);
    expect(parseVerifierKey(published)).toMatchObject({ id: 0xda77ade7, type: 'cosignature' });
  });
});
