import { describe, expect, test } from 'vitest';
import { formatCheckpoint, parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { rootOfEdge } from '../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from './keys.ts';
import { entriesOf, memoryLog } from './trees.ts';

const ORIGIN = 'example.com/log';
const never = new AbortController().signal;
const signer = newSigner(ORIGIN);
const witnesses = [newWitness('one.example'), newWitness('two.example'), newWitness('three.example')] as const;
const policy = parsePolicy(
  [
    `log ${formatVerifierKey(signer.key)}`,
    ...witnesses.map(({ key }, index) => `witness W${index + 1} ${formatVerifierKey(key)}`),
    'group two-of-three 2 W1 W2 W3',
    'quorum two-of-three',
  ].join('\n'),
);

const log = memoryLog();
log.append(entriesOf(300));
const text = formatCheckpoint({ origin: ORIGIN, size: 300, root: rootOfEdge(log.edge()) });
const signed = await signNote(text, [signer], never);

test('a checkpoint is written and read alike', () => {
  expect(text).toBe(`example.com/log\n300\n${rootOfEdge(log.edge()).toString('base64')}\n`);
  expect(parseCheckpoint(text)).toEqual({ origin: ORIGIN, size: 300, root: rootOfEdge(log.edge()) });
  expect(parseCheckpoint(`${text}an extension\n`)).toEqual(parseCheckpoint(text));
});

describe('cosignatures', () => {
  const [one, two] = witnesses;

  test('count as the policy says, with their times', () => {
    expect(openCheckpoint(signed, policy)).toMatchObject({ size: 300, quorum: false, cosigned: new Map() });
    const once = signed + one.cosign(text, 1_700_000_000);
    expect(openCheckpoint(once, policy)).toMatchObject({ quorum: false, cosigned: new Map([['W1', 1_700_000_000]]) });
    expect(openCheckpoint(once + two.cosign(text, 1_700_000_001), policy)).toMatchObject({ quorum: true });
  });

  test('of a time that was not signed, or of no time, are wrong', () => {
    const line = one.cosign(text, 1_700_000_000);
    const other = one.cosign(text, 1_700_000_001);
    const mixed = line.slice(0, line.indexOf(' ', 2) + 17) + other.slice(other.indexOf(' ', 2) + 17);
    expect(() => openCheckpoint(signed + mixed, policy)).toThrow('The signature of one.example is wrong');
    // No calendar has the second one.
    for (const time of [0, 2 ** 53]) {
      expect(() => openCheckpoint(signed + one.cosign(text, time), policy)).toThrow('one.example is wrong');
    }
  });

  test('of another checkpoint are wrong; of witnesses that are not in the policy do not count', () => {
    const other = text.replace('300', '301');
    expect(() => openCheckpoint(signed + one.cosign(other, 1_700_000_000), policy)).toThrow('wrong');
    const stranger = newWitness('one.example').cosign(text, 1_700_000_000);
    expect(openCheckpoint(signed + stranger, policy).cosigned.size).toBe(0);
  });
});

test('a checkpoint that no log of the policy signed is not opened', async () => {
  const stranger = await signNote(text, [newSigner(ORIGIN)], never);
  expect(() => openCheckpoint(stranger, policy)).toThrow('No trusted key of the log example.com/log signed');
  const other = await signNote(text.replace(ORIGIN, 'example.com/other'), [signer], never);
  expect(() => openCheckpoint(other, policy)).toThrow('No trusted key of the log example.com/other signed');
});

test('a signature that does not hold rejects a checkpoint, also if another log of the policy made it', async () => {
  const receipts = newSigner(`${ORIGIN}/receipts`);
  const both = parsePolicy(
    `log ${formatVerifierKey(signer.key)}\nlog ${formatVerifierKey(receipts.key)}\nquorum none\n`,
  );
  expect(openCheckpoint(await signNote(text, [signer, receipts], never), both).size).toBe(300);
  const other = await signNote('another text\n', [receipts], never);
  expect(() => openCheckpoint(signed + other.slice(other.indexOf('—')), both)).toThrow(
    'The signature of example.com/log/receipts is wrong',
  );
});
