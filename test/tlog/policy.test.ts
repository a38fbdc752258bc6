import { expect, test } from 'vitest';
import { parsePolicy, quorumReached } from '../../functions/tlog/policy.ts';
import { formatVerifierKey } from '../../functions/tlog/verifierKey.ts';
import { newSigner, newWitness } from './keys.ts';

const log = formatVerifierKey(newSigner('example.com/log').key);
const [w1, w2, w3, w4] = ['one', 'two', 'three', 'four'].map((name) => formatVerifierKey(newWitness(name).key)) as [
  string,
  string,
  string,
  string,
];

const text = `
# two organizations
log ${log} https://log.example/
witness X1 ${w1} https://one.example/
  witness\tX2 ${w2}
witness X3 ${w3}
group X-witnesses 2 X1 X2 X3

witness Y1 ${w4}
group Y-witnesses any Y1
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

test('a policy is read, with its comments, blanks and URLs', () => {
  const policy = parsePolicy(text);
  expect(policy.logs).toMatchObject([{ key: { name: 'example.com/log' }, url: 'https://log.example/' }]);
  expect([...policy.witnesses.keys()]).toEqual(['X1', 'X2', 'X3', 'Y1']);
  expect(policy.witnesses.get('X1')).toMatchObject({ url: 'https://one.example/' });
  expect(policy.witnesses.get('X2')).not.toHaveProperty('url');
});

test.each([
  ['', false],
  ['X1 X2 X3', false],
  ['X1 Y1', false],
  ['X1 X3 Y1', true],
  ['X1 X2 X3 Y1', true],
])('two of X and one of Y: %s → %s', (names, reached) => {
  expect(quorumReached(parsePolicy(text), new Set(names.split(' ')))).toBe(reached);
});

test('quorum none requires nobody, one witness requires that one', () => {
  expect(quorumReached(parsePolicy('quorum none'), new Set())).toBe(true);
  const one = parsePolicy(`witness A ${w1}\nwitness B ${w2}\nquorum B`);
  expect(quorumReached(one, new Set(['A']))).toBe(false);
  expect(quorumReached(one, new Set(['B']))).toBe(true);
});

test.each([
  ['', 'The policy has no quorum line'],
  ['quorum none\nquorum none', 'Line 2 of the policy: a policy has one quorum line'],
  ['quorum none\r\n', 'Line 1 of the policy: a policy has no control characters besides tabs and newlines'],
  [`# \u0000\nquorum none`, 'Line 1 of the policy: a policy has no control characters'],
  [`\ufeffquorum none`, 'Line 1 of the policy: expected log, witness, group or quorum, not \ufeffquorum'],
  ['quorum nobody', 'Line 1 of the policy: no witness or group nobody on an earlier line'],
  ['quorum', 'Line 1 of the policy: expected one name'],
  ['constructor x\nquorum none', 'expected log, witness, group or quorum, not constructor'],
  ['log\nquorum none', 'expected a verifier key'],
  [`log ${log} https://a.example/ b\nquorum none`, 'at most a URL after it'],
  [
    `log ${log}\nlog ${log}\nquorum none`,
    'Line 2 of the policy: the public key of example.com/log is in the policy twice',
  ],
  [`log ${w1}\nquorum none`, 'one has a key for witnesses'],
  [`witness A ${log}\nquorum none`, 'example.com/log has a key for logs'],
  [`witness none ${w1}\nquorum none`, 'a name other than "none"'],
  [`witness A ${w1}\nwitness A ${w2}\nquorum none`, 'the name A is defined twice'],
  [`witness A ${w1}\nwitness B ${w1}\nquorum none`, 'the public key of one is in the policy twice'],
  [`witness A ${w1}\ngroup G any\nquorum none`, 'expected at least one member'],
  [`witness A ${w1}\ngroup G 2 A\nquorum none`, 'a number from 1 to 1, not 2'],
  [`witness A ${w1}\ngroup G 0 A\nquorum none`, 'a number from 1 to 1, not 0'],
  [`witness A ${w1}\ngroup G 1 none\nquorum none`, 'no witness or group none'],
  [`witness A ${w1}\ngroup G any A\ngroup H any A\nquorum none`, 'A is a member already'],
  [`witness A ${w1}\ngroup G all A A\nquorum none`, 'A is a member already'],
  [`group G any A\nwitness A ${w1}\nquorum none`, 'Line 1 of the policy: no witness or group A on an earlier line'],
])('%j is rejected: %s', (policy, message) => {
  expect(() => parsePolicy(policy)).toThrow(message);
});
