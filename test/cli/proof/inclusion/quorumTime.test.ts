import { expect, test } from 'vitest';
import { quorumTime } from '../../../../cli/proof/inclusion/publication.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { newWitness } from '../../../c2sp/keys.ts';

const names = ['a', 'b', 'c'];
const witnesses = names.map((name) => `witness ${name} ${formatVerifierKey(newWitness(name).key)}\n`).join('');

test.each([
  ['any', { a: 10, b: 30, c: 20 }, 30_000],
  ['2', { a: 10, b: 30, c: 20 }, 20_000],
  ['all', { a: 10, b: 30, c: 20 }, 10_000],
  ['2', { b: 30 }, undefined],
  ['all', {}, undefined],
])('%s of three witnesses, with the times %j, have cosigned from %s on', (rule, times, time) => {
  const policy = parsePolicy(`${witnesses}group g ${rule} ${names.join(' ')}\nquorum g\n`);
  const cosigned = new Map<string, number>(Object.entries(times));
  const checkpoint = { origin: 'o', size: 1, root: Buffer.alloc(32), cosigned, quorum: time !== undefined };
  expect(quorumTime(checkpoint, policy)).toBe(time);
  expect(quorumTime(checkpoint, parsePolicy(`${witnesses}quorum none\n`))).toBeUndefined();
});
