import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRows } from '../../../../functions/features/readRows.ts';
import { entryHashOf } from '../../../../functions/tlog/entryHash.ts';
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
  // Beside a proof or a result file, or compared with.
  const beside = ['risk.json', 'order.json', 'rows.json', 'team.parquet', 'decision.preimage'];
  expect(readdirSync(EVIDENCE).filter((name) => ![...named, ...beside].includes(name))).toEqual([]);
});

test('an export as Parquet names the entry hash of the proof', async () => {
  const rows = await readRows<{ leaf: Uint8Array }>(readFileSync(`${EVIDENCE}team.parquet`));
  const preimage = readFileSync(`${EVIDENCE}decision.preimage`, 'utf8');
  expect(rows.length).toBe(3);
  expect(rows.map(({ leaf }) => Buffer.from(leaf))).toContainEqual(entryHashOf(preimage));
});
