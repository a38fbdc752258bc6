import { expect, test } from 'vitest';
import { nameRun, runsOf, sayRun } from '../../../cli/console/page/findings.ts';

const MINUTE = 60_000;
const find = (kind: string, at: number, ms: number | null = null, other: string | null = null) => ({
  ...{ id: `${kind}${at}`, kind, at, ms, other },
});
const findings = [
  find('late', 1, 2 * MINUTE),
  find('late', 2, 5 * MINUTE),
  find('late', 3, 3 * MINUTE),
  find('silence', 4, 90 * MINUTE, '7'),
  find('no log', 5),
  find('no log', 6),
  find('copy', 7, 20 * MINUTE, '3006'),
  find('copy', 8, 20 * MINUTE, '3015'),
  find('copy', 9, 20 * MINUTE, '3015'),
  find('late', 10, 4 * MINUTE),
];

test('findings that say the same are one line until another one comes between them', () => {
  expect(runsOf(findings, false).map((run) => `${run.id}: ${nameRun(run)} ${sayRun(run)}`)).toEqual([
    'late1: 3 late orders 2 min to 5 min',
    'silence4: silence 1 h 30 min, 7 orders',
    'no log5: 2 orders without a log ',
    'copy7: copy 20 min after 3006',
    'copy8: 2 copies 20 min after 3015',
    'late10: late 4 min',
  ]);
  expect(runsOf(findings, true).map(({ all }) => all)).toEqual(findings.map((one) => [one]));
});
