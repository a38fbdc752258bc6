import { expect, test } from 'vitest';
import { findFault } from '../../../../cli/review/verdicts/checkRecord.ts';
import { withId } from '../../../../cli/review/verdicts/record.ts';

const written = { author: 'AIDA', arn: 'arn', after: [], uid: '1001', verdict: 'looked-at' } as const;
const question = { verdict: 'disqualify', reason: 'late', text: 'a', read: 'ten letter' } as const;
const sample = { seed: 'x'.repeat(40), size: 1, failures: 1 };
const SHAPE = 'it does not have the shape of a verdict';
const NO_SENTENCE = '"disqualify" for "late", a question, needs a sentence that says what you read';

// biome-ignore format: one case a line
test.each<[string, object, string | undefined]>([
  ['100 entries', { entries: Array(100).fill('1') }, undefined],
  ['101 entries', { entries: Array(101).fill('1') }, 'at most 100 entries can be pinned'],
  ['a sentence of ten characters', question, undefined],
  ['one of nine, and a space', { ...question, read: 'nine char ' }, NO_SENTENCE],
  ['a sample of one log that failed', { sample }, undefined],
  ['a sample of no log', { sample: { ...sample, size: 0, failures: 0 } }, 'a sample has at least one log'],
  ['more failures than logs', { sample: { ...sample, failures: 2 } }, 'a sample has at most as many failures as logs'],
  ['a seed of 41 characters', { sample: { ...sample, seed: 'x'.repeat(41) } }, SHAPE],
  ['an ARN of 2048 characters', { arn: 'x'.repeat(2048) }, undefined],
  ['an ARN of 2049 characters', { arn: 'x'.repeat(2049) }, SHAPE],
  ['a text of 1000 characters', { text: 'x'.repeat(1000) }, undefined],
  ['a text of 1001 characters', { text: 'x'.repeat(1001) }, 'the text has 1001 characters; at most 1000 are allowed'],
])('a record with %s', async (_what, change, fault) => {
  expect(await findFault(withId({ ...written, ...change }, 1_763_103_201_300), async () => false)).toBe(fault);
});
