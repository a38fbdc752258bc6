import type { FeatureRow } from '../../../../functions/features/featureRow.ts';
import { englishProse } from './prose.ts';
import { type Log, rowOf, type TestOrder } from './review.ts';

/** Returns logs and orders of teams that have most of the reasons to look at them. */
export function exampleReview(): { logs: FeatureRow[]; orders: TestOrder[] } {
  const body = (n: number, text: string) => JSON.stringify({ input: { n }, output: { text }, explanation: '' });
  const logs = englishProse.flatMap((text, n): Log[] => [
    { uid: '1', second: n * 600, orderId: n + 1, body: body(n, text) },
    { uid: '2', second: n * 600 + 200, orderId: n + 101, body: body(n + 50, text) },
    { uid: '3', second: n * 600 + 20, body: body(n + 90, text.replace('the', 'a')) },
    { uid: '4', second: n * 9, orderId: n % 3 === 0 ? n + 1 : n + 301, model: 'Claude', body: body(7, 'again') },
    { uid: '5', second: n * 7000, orderId: n + 401 },
  ]);
  const orders = englishProse.flatMap((_, n): TestOrder[] => [
    ['1', n * 600 - (n % 2 === 0 ? 5 : 90), n + 1],
    ['2', n * 600 + 260, n + 101],
    ['4', n * 900, n + 301],
    ['5', n * 7000 + 3000, n + 501],
    ['6', n, n + 601],
  ]);
  return { logs: logs.map(rowOf), orders };
}
