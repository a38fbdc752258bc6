import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { quorumTime } from '../../cli/proof/inclusion/publication.ts';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { cosignedSubtree } from '../../functions/c2sp/cosignature.ts';
import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey, parseVerifierKey, verifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newMlDsaWitness, newSigner } from './keys.ts';

const signer = newSigner('example.com/log');
const witness = newMlDsaWitness('witness.example/pq');
const text = formatCheckpoint({ origin: 'example.com/log', size: 7, root: Buffer.alloc(32, 3) });
const signature = await signer.sign(Buffer.from(text), AbortSignal.timeout(1000));
const line = (name: string, id: number, bytes: Uint8Array) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(id);
  return `— ${name} ${Buffer.concat([head, bytes]).toString('base64')}\n`;
};
const signed = `${text}\n${line(signer.key.name, signer.key.id, signature)}`;
const policy = parsePolicy(
  `log ${formatVerifierKey(signer.key)}\nwitness pq ${formatVerifierKey(witness.key)} https://w.example/\nquorum pq\n`,
);

describe('ML-DSA-44', () => {
  test('a verifier key of type 0x06 is read back, with the id that its name, type and key have', () => {
    const vkey = formatVerifierKey(witness.key);
    expect(parseVerifierKey(vkey)).toEqual(witness.key);
    expect(vkey.length).toBeGreaterThan(1750);
    expect(Buffer.from(vkey.split('+').slice(2).join('+'), 'base64')[0]).toBe(0x06);
    expect(verifierKey('a', witness.key.publicKey, 'cosignature').id).not.toBe(
      verifierKey('a', witness.key.publicKey, 'cosignature ML-DSA-44').id,
    );
  });

  test('a cosignature reaches the quorum, with its time', () => {
    const opened = openCheckpoint(signed + witness.cosign(text, 1_763_112_660), policy);
    expect(opened).toMatchObject({ quorum: true, size: 7 });
    expect(opened.cosigned.get('pq')).toBe(1_763_112_660);
  });

  test('the time 0 says none, and a time that no calendar has is no cosignature', () => {
    const opened = openCheckpoint(signed + witness.cosign(text, 0), policy);
    expect(opened).toMatchObject({ quorum: true, cosigned: new Map([['pq', 0]]) });
    expect(quorumTime(opened, policy)).toBeUndefined();
    expect(() => openCheckpoint(signed + witness.cosign(text, 2 ** 53), policy)).toThrow('witness.example/pq is wrong');
  });

  test('the signed message has names, time, range and root, each text after its length', () => {
    const message = cosignedSubtree('w', text, 5).toString('latin1');
    const number = (value: number) => '\0'.repeat(7) + String.fromCharCode(value);
    expect(message).toBe(
      `subtree/v1\n\0\x01w${number(5)}\x0fexample.com/log${number(0)}${number(7)}${'\x03'.repeat(32)}`,
    );
  });

  test.each([
    ['another checkpoint', () => witness.cosign(text.replace('\n7\n', '\n8\n'), 1)],
    ['another log', () => witness.cosign(text.replace('example.com', 'example.org'), 1)],
    ['another key', () => newMlDsaWitness('witness.example/pq', witness.key.id).cosign(text, 1)],
  ])('a cosignature of %s is wrong', (_name, cosign) => {
    expect(() => openCheckpoint(signed + cosign(), policy)).toThrow('The signature of witness.example/pq is wrong');
  });

  test('a signature without its time is no cosignature', () => {
    const { privateKey } = generateKeyPairSync('ml-dsa-44');
    const bare = line(witness.key.name, witness.key.id, sign(null, Buffer.from(text), privateKey));
    expect(() => verifyNote(parseNote(signed + bare), [witness.key])).toThrow('is wrong');
  });
});
