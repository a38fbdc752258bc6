import { describe, expect, test } from 'vitest';
import { parseNote, signNote, verifyNote } from '../../functions/c2sp/note.ts';
import { parseVerifierKey, verifierKey } from '../../functions/c2sp/verifierKey.ts';
import vectors from '../vectors/note.json' with { type: 'json' };
import { newSigner } from './keys.ts';

const [published] = vectors.verified as [(typeof vectors.verified)[0]];
const key = parseVerifierKey(published.verifierKey);
const never = new AbortController().signal;

test('a note holds what was signed, by every signer', async () => {
  const [one, two] = [newSigner('example.com/one'), newSigner('example.com/two')];
  const signed = await signNote('first\n\nsecond é\n', [one, two], never);
  const note = parseNote(signed);
  expect(note.text).toBe('first\n\nsecond é\n');
  expect(verifyNote(note, [two.key, one.key])).toEqual([two.key, one.key]);
  expect(await signNote('first\n\nsecond é\n', [one, two], never)).toBe(signed);
});

test('a signer whose signatures do not verify signs nothing', async () => {
  const signer = { ...newSigner('example.com/one'), sign: async () => Buffer.alloc(64) };
  await expect(signNote('text\n', [signer], never)).rejects.toThrow('The signature of example.com/one is wrong');
});

describe('a note that was changed', () => {
  test.each([
    ['its text', published.note.replace('problem is', 'answer is')],
    ['a bit of its signature', published.note.replace('JnAM=', 'JnAI=')],
  ])('%s: the signature is wrong', (_what, changed) => {
    expect(() => verifyNote(parseNote(changed), [key])).toThrow('The signature of PeterNeumann is wrong');
  });

  test.each([
    ['the name of its key', published.note.replace('— Peter', '— Paul')],
    ['the id of its key', published.note.replace(' x08go', ' x18go')],
  ])('%s: nobody known signed it', (_what, changed) => {
    expect(verifyNote(parseNote(changed), [key])).toEqual([]);
  });

  test('one right signature beside a wrong one by the same key: rejected', () => {
    const line = published.note.slice(published.note.lastIndexOf('—'));
    const twice = `${published.note}${line.replace('JnAM=', 'JnAI=')}`;
    expect(() => verifyNote(parseNote(twice), [key])).toThrow('wrong');
  });
});

test.each([
  ['with Windows line ends', published.note.replaceAll('\n', '\r\n')],
  ['with a tab', published.note.replace(' ', '\t')],
  ['with a hyphen for the dash', published.note.replace('—', '-')],
  ['without signatures', 'text\n\n'],
  ['with a signature that is not base64', published.note.replace('JnAM=', 'JnAM')],
  ['with base64 that another text also decodes to', published.note.replace('JnAM=', 'JnAN=')],
])('a note %s is none', (_what, text) => {
  expect(() => parseNote(text)).toThrow(/note|signature/i);
});

test('a text that ends without a newline, or holds a control character, cannot be signed', async () => {
  const signer = newSigner('example.com/one');
  for (const text of ['text', 'a\tb\n', 'a\u0000\n', 'half \ud83d\n']) {
    await expect(signNote(text, [signer], never)).rejects.toThrow('ends in a newline');
  }
});

test.each([
  ['two parts', 'name+ARpc2Q==', 'A verifier key is <name>+<8 hex digits>+<base64>'],
  ['an id in capital letters', published.verifierKey.replace('c74f20a3', 'C74F20A3'), '8 hex digits'],
  ['the id of another key', published.verifierKey.replace('c74f20a3', 'c74f20a4'), 'the id of its key is c74f20a3'],
  ['another name', published.verifierKey.replace('Neumann', 'Newman'), 'the id of its key is'],
  ['another signature type', published.verifierKey.replace('+ARpc', '+Bhpc'), 'must have the type'],
  ['31 bytes of key', published.verifierKey.replace('10TW', '10Q='), 'must have the type'],
  ['what is not base64', published.verifierKey.replace('10TW', '10T*'), 'is not standard base64'],
])('a verifier key with %s is rejected', (_what, text, message) => {
  expect(() => parseVerifierKey(text)).toThrow(message);
});

test('the key ids of the two uses of one public key differ', () => {
  const { publicKey } = newSigner('a').key;
  expect(verifierKey('a', publicKey).id).not.toBe(verifierKey('a', publicKey, 'cosignature').id);
  expect(() => verifierKey('a b', publicKey)).toThrow('neither spaces nor "+"');
  expect(() => verifierKey('', publicKey)).toThrow('not empty');
});
