import { expect, test } from 'vitest';
import { formatPolicy, parsePolicy, quorumReached } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { newSigner, newWitness } from './keys.ts';

const log = formatVerifierKey(newSigner('example.com/log').key);
const [w1, w2, w3, w4] = ['one', 'two', 'three', 'four'].map((name) => formatVerifierKey(newWitness(name).key)) as [
  string,
  string,
  string,
  string,
];

const text = `
# two of three
log ${log} https://log.example/
witness X1 ${w1} https://one.example/
  witness\tX2 ${w2}
witness X3 ${w3}

witness Y1 ${w4}
group X-witnesses 2 X1 X2 X3
quorum X-witnesses
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
  ['X1 Y1', false],
  ['X1 X3', true],
  ['X1 X2 X3 Y1', true],
])('two of X: %s → %s', (names, reached) => {
  expect(quorumReached(parsePolicy(text), new Set(names.split(' ')))).toBe(reached);
});

test('a comment that begins like the line of a receipt key, and has none, is a comment', () => {
  const receipts = formatVerifierKey(newSigner('example.com/log/receipts').key);
  const comments = '# receipts a+b\n# receipts are kept\n#receipts x+12345678\n';
  const { receipts: keys } = parsePolicy(`${comments} \t# receipts ${receipts}\nquorum none`);
  expect(keys.map(formatVerifierKey)).toEqual([receipts]);
  expect(() => parsePolicy(`# receipts ${receipts.slice(0, -1)}\nquorum none`)).toThrow('Line 1 of the policy');
  expect(() => parsePolicy(`# receipts ${w1}\nquorum none`)).toThrow(
    'one has a key for witnesses, and not for receipts',
  );
});

test('a long comment that begins like the line of a receipt key is read in linear time', () => {
  expect(parsePolicy(`# receipts ${'a+12345678+'.repeat(50_000)}a b\nquorum none`).receipts).toEqual([]);
});

test('quorum none requires nobody, one witness requires that one', () => {
  expect(quorumReached(parsePolicy('quorum none'), new Set())).toBe(true);
  const one = parsePolicy(`witness A ${w1}\nwitness B ${w2}\nquorum B`);
  expect(quorumReached(one, new Set(['A']))).toBe(false);
  expect(quorumReached(one, new Set(['B']))).toBe(true);
});

const NAME = 'expected a name other than "none".';
const CONTROL = 'a policy has no control characters besides tabs and newlines.';

test.each<[message: string, policy: string]>([
  ['Line 2 of the policy: a policy has one quorum line.', 'quorum none\nquorum none'],
  [`Line 1 of the policy: ${CONTROL}`, 'quorum none\r\n'],
  [`Line 2 of the policy: ${CONTROL}`, '# a comment\n#\u001b[2Jquorum\nquorum none'],
  ...['\u0000', '\u000b', '\u007f'].map((control): [string, string] => [
    `Line 1 of the policy: ${CONTROL}`,
    `log ${log}${control}quorum none`,
  ]),
  ['Line 1 of the policy: expected log, witness, group or quorum, not \ufeffquorum.', '\ufeffquorum none'],
  ['Line 1 of the policy: expected log, witness, group or quorum, not constructor.', 'constructor x'],
  ['Line 1 of the policy: expected log, witness, group or quorum, not word#.', 'word#'],
  ['Line 1 of the policy: no witness or group nobody on an earlier line.', 'quorum nobody'],
  ['Line 1 of the policy: expected one name.', 'quorum'],
  ['Line 1 of the policy: expected one name.', 'quorum none none'],
  ['Line 1 of the policy: expected a verifier key and at most a URL after it.', 'log'],
  ['Line 1 of the policy: expected a verifier key and at most a URL after it.', `log ${log} https://a.example/ b`],
  ['Line 2 of the policy: the public key of example.com/log is in the policy twice.', `log ${log}\nlog ${log}`],
  ['Line 2 of the policy: the public key of one is in the policy twice.', `witness A ${w1}\nwitness B ${w1}`],
  ['Line 1 of the policy: one has a key for witnesses.', `log ${w1}`],
  ['Line 1 of the policy: example.com/log has a key for logs.', `witness A ${log}`],
  [`Line 1 of the policy: ${NAME}`, 'witness'],
  [`Line 1 of the policy: ${NAME}`, 'group'],
  [`Line 1 of the policy: ${NAME}`, `witness none ${w1}`],
  ['Line 2 of the policy: the name A is defined twice.', `witness A ${w1}\nwitness A ${w2}`],
  ['Line 2 of the policy: the name A is defined twice.', `witness A ${w1}\ngroup A any A`],
  ['Line 2 of the policy: expected at least one member.', `witness A ${w1}\ngroup G`],
  ['Line 2 of the policy: expected at least one member.', `witness A ${w1}\ngroup G any`],
  ...['2', '0', '01', '1x', 'x1', 'some'].map((rule): [string, string] => [
    `Line 2 of the policy: expected all, any or a number from 1 to 1, not ${rule}.`,
    `witness A ${w1}\ngroup G ${rule} A`,
  ]),
  [
    'Line 2 of the policy: none is no witness of an earlier line, or a member twice.',
    `witness A ${w1}\ngroup G 1 none`,
  ],
  ['Line 3 of the policy: a policy has one group at most.', `witness A ${w1}\ngroup G any A\ngroup H any A`],
  ['Line 2 of the policy: A is no witness of an earlier line, or a member twice.', `witness A ${w1}\ngroup G all A A`],
  ['Line 1 of the policy: A is no witness of an earlier line, or a member twice.', `group G any A\nwitness A ${w1}`],
])('a policy is rejected: %s', (message, policy) => {
  expect(() => parsePolicy(`${policy}\nquorum none`)).toThrow(new Error(message));
});

test('a policy without a quorum line is rejected', () => {
  const message = 'The policy has no quorum line; "quorum none" requires no witness.';
  expect(() => parsePolicy('')).toThrow(new Error(message));
});

test('a group of ten may require all ten', () => {
  const names = Array.from({ length: 10 }, (_, index) => `w${index}`);
  const lines = names.map((name) => `witness ${name} ${formatVerifierKey(newWitness(name).key)}`);
  const policy = [...lines, `group G 10 ${names.join(' ')}`, 'quorum G'].join('\n');
  expect(parsePolicy(policy).quorum).toEqual({ threshold: 10, members: names });
});

test('words of a policy stand any number of blanks apart', () => {
  expect(parsePolicy(`witness \t A  ${w1}\nquorum   A`).quorum).toEqual({ threshold: 1, members: ['A'] });
});

test('the policy of a log has a line for each key and the lines of its witnesses', () => {
  const receipts = formatVerifierKey(newSigner('example.com/log/receipts').key);
  const witnesses = `# a comment\nlog ${log}\nwitness A ${w1} https://a.example/\nquorum A\n`;
  expect(formatPolicy({ logs: [log], receipts: [receipts] })).toBe(`log ${log}\n# receipts ${receipts}\nquorum none\n`);
  expect(formatPolicy({ logs: [log], receipts: [], witnesses })).toBe(
    `log ${log}\nwitness A ${w1} https://a.example/\nquorum A\n`,
  );
  expect(() => formatPolicy({ logs: [w2], receipts: [] })).toThrow('two has a key for witnesses.');
});
