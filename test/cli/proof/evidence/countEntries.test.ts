import { expect, test } from 'vitest';
import { entryCounter } from '../../../../cli/proof/evidence/countEntries.ts';

/** Returns what is said of the models of entries, of which each has one. */
function saysOf(models: readonly string[]): string | undefined {
  const counter = entryCounter();
  for (const model of models) {
    const facts = { entryId: '1763103201300-00112233445566778899aabbccddeeff', hasBody: true };
    counter.add({ facts, members: { body: JSON.stringify({ model }) }, word: 'ok' } as never);
  }
  return counter.rows().find(([name]) => name === 'models')?.[1];
}

const different = (count: number) => Array.from({ length: count }, (_, at) => `model ${at}`);
const often = Array(3).fill('often');

test('ten models are named, of a thousand that are told apart, by sixty characters of their names', () => {
  expect(saysOf(different(10))).not.toContain('others');
  expect(saysOf(different(11))).toMatch(/"model 8" 1, and others$/);
  expect(saysOf([...different(999), ...often])).toMatch(/^"often" 3, /);
  expect(saysOf([...different(1000), ...often])).not.toContain('often');
  expect(saysOf([60, 61].map((length) => 'x'.repeat(length)))).toBe(`"${'x'.repeat(60)}" 2`);
});
