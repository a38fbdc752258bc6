import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute } from '../../setup/execute.ts';

const REVIEW = fileURLToPath(new URL('../../../cli/analysis/reviewTeams.ts', import.meta.url));
const FACTS = fileURLToPath(new URL('../../../cli/analysis/logFacts.ts', import.meta.url));

/** Adds logs of 40 teams to a review, each with an order of its own, and prints the bytes that it keeps per log. */
const PROGRAM = `
  const { createReview } = await import(${JSON.stringify(REVIEW)});
  const { FACTS_BYTES } = await import(${JSON.stringify(FACTS)});
  const { randomBytes } = await import('node:crypto');
  const review = createReview({ within: 60000, tolerance: 30000 });
  const used = () => { gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
  const add = (from, count) => {
    for (let n = from; n < from + count; n += 1) {
      const signedAt = 1763000000000 + n;
      const log = { uid: String(n % 40), entryId: signedAt + '-' + randomBytes(16).toString('hex'), signedAt, orderId: String(590480926522704171n + BigInt(n)) };
      review.add({ ...log, model: 'GPT-' + (n % 3), stage: 'Decision' }, () => randomBytes(FACTS_BYTES));
    }
  };
  add(0, 1000);
  const before = used();
  add(1000, 40000);
  console.log(Math.round((used() - before) / 40000));
  review.uids();
`;

test('a report keeps less than 300 bytes per entry', async () => {
  const { stdout } = await execute([process.execPath, '--expose-gc', '--input-type=module', '-e', PROGRAM]);
  expect(stdout).toMatch(/^-?\d+\n$/);
  expect(Number(stdout)).toBeLessThan(300);
});
