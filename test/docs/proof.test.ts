import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { leafHashOf } from '../../functions/c2sp/hashing.ts';
import { bundledEntry } from '../../functions/c2sp/tiles.ts';
import { entryPreimage, HASHED_ATTRIBUTES, type HashedAttributes } from '../../functions/tlog/entryHash.ts';
import { verifyIn } from '../cli/commands/tlog/evidenceFixture.ts';

const PAGE = readFileSync(new URL('../../docs/proof.md', import.meta.url), 'utf8');

/** The examples of the page, by the names of their files. A preimage has no line end after it. */
const examples = Object.fromEntries(
  [...PAGE.matchAll(/^```text (\S+)\n(.*?)^```$/gms)].map(([, name = '', text = '']) => [
    name,
    name.endsWith('.preimage') ? text.trimEnd() : text,
  ]),
);

test('the examples of docs/proof.md are one entry: its receipt, preimage and proof, and the policy that verifies them', async () => {
  expect(Object.keys(examples).sort()).toEqual(['entry.preimage', 'entry.receipt', 'entry.tlog-proof', 'tlog.policy']);
  const { exitCode, stdout } = await verifyIn(examples, ['entry.receipt', 'entry.tlog-proof', '--json']);
  expect(exitCode, stdout).toBe(0);
  const [receipt, proof] = JSON.parse(stdout);
  expect(receipt).toMatchObject({ format: 'receipt', uid: '1001', receivedAt: '2025-11-14T06:53:21.345Z' });
  expect(proof).toMatchObject({ format: 'proof', entryId: receipt.entryId });
  expect(proof.proven).toContainEqual(expect.stringContaining('at index 3 of 5'));
  expect(proof.proven).toContainEqual(expect.stringContaining('The quorum W1 of the policy is reached'));
  expect(proof.proven).toEqual(expect.arrayContaining(receipt.proven));
});

test('the leaf of the receipt is the SHA-256 of the preimage, as the page says', () => {
  const leaf = createHash('sha256')
    .update(examples['entry.preimage'] ?? '')
    .digest('hex');
  expect(examples['entry.receipt']?.split('\n')[6]).toBe(leaf);
});

test('the preimage with unusual characters has the SHA-256 that the page says', () => {
  const [, sha256 = '', preimage = ''] =
    /This preimage has the SHA-256\s`([0-9a-f]{64})`:\n\n```json\n(.*?)\n```/s.exec(PAGE) ?? [];
  expect(createHash('sha256').update(preimage).digest('hex')).toBe(sha256);
  const [header = '', values = ''] = preimage.split('\n');
  expect(`${header}\n${JSON.stringify(JSON.parse(values))}`).toBe(preimage);
  const entry = Object.fromEntries(HASHED_ATTRIBUTES.map((name, at) => [name, JSON.parse(values)[at]]));
  expect(entryPreimage(entry as unknown as HashedAttributes)).toBe(preimage);
});

test('the entry of a bundle and its hash in a tile are those of the receipt', () => {
  const leaf = Buffer.from(examples['entry.receipt']?.split('\n')[6] ?? '', 'hex');
  const [, bundled, hash] = /^```text\nbundle {2}([0-9a-f]+)\ntile {4}([0-9a-f]+)\n```$/m.exec(PAGE) ?? [];
  expect(bundled).toBe(bundledEntry(leaf).toString('hex'));
  expect(hash).toBe(leafHashOf(leaf).toString('hex'));
});

test('the variable of the receipt key is found in the policy as docs/clients.md shows', () => {
  const clients = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, pattern = ''] = /sed -n '(s\/.*?\/p)' tlog\.policy/.exec(clients) ?? [];
  const key = execFileSync('sed', ['-n', pattern], { input: examples['tlog.policy'], encoding: 'utf8' });
  expect(key).toBe(`${examples['tlog.policy']?.split('\n')[1]?.slice('# receipts '.length)}\n`);
});
