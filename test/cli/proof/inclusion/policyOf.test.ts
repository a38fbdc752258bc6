import { expect, test } from 'vitest';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';

const [log, receipts, other] = ['logs.example.com/ailog', 'logs.example.com/ailog/receipts', 'other.example'].map(
  (name) => formatVerifierKey(newSigner(name).key),
) as [string, string, string];
const witness = formatVerifierKey(newWitness('witness.example/w1').key);

test('the keys of checkpoints are logs, those of receipts are in comments, and no witness is required', () => {
  expect(policyText({ keys: [log, receipts] })).toBe(`log ${log}\n# receipts ${receipts}\nquorum none\n`);
  expect(policyText({ keys: [log], witnesses: undefined })).toBe(`log ${log}\nquorum none\n`);
});

test('the witnesses and their quorum are those of the setting, its own logs and comments are left out', () => {
  const witnesses = `# ours\n\n log ${other}\n  witness W1 ${witness} https://w1.example/\ngroup G any W1\nquorum G`;
  const text = policyText({ keys: [log, receipts], witnesses });
  expect(text).toBe(
    `log ${log}\n# receipts ${receipts}\n  witness W1 ${witness} https://w1.example/\ngroup G any W1\nquorum G\n`,
  );
  expect(parsePolicy(text)).toMatchObject({
    quorum: 'G',
    logs: [{ key: { name: 'logs.example.com/ailog' } }],
    receipts: [{}],
  });
});

test.each([
  ['a key that is none', { keys: ['ailog'] }, 'A verifier key is'],
  ['a key twice', { keys: [log, log] }, 'is in the policy twice'],
  ['witnesses without a quorum', { keys: [log], witnesses: `witness W1 ${witness}\n` }, 'no quorum line'],
])('%s is rejected', (_what, parts, message) => {
  expect(() => policyText(parts)).toThrow(message);
});
