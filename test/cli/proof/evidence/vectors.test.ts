import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVIDENCE, judge, vectors } from '../../../vectors/evidence/judge.ts';

test.each(vectors)('$name gets the verdict that was recorded: $verdicts', async (vector) => {
  const { exitCode, verdicts, reasons } = vector;
  expect(await judge(vector)).toEqual({ exitCode, verdicts, reasons });
});

test('every file of evidence is judged', () => {
  const named = vectors.flatMap(({ file, policy, options = [], replaced = {} }) => [
    ...[file, policy, ...options],
    ...Object.values(replaced),
  ]);
  // Beside a proof or a result file.
  const beside = ['risk.json', 'order.json', 'decision.preimage'];
  expect(readdirSync(EVIDENCE).filter((name) => ![...named, ...beside].includes(name))).toEqual([]);
});
