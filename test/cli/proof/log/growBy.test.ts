import { expect, test } from 'vitest';
import { growBy, NO_LOG } from '../../../../cli/proof/log/growBy.ts';
import type { Commit } from '../../../../functions/tlog/commit.ts';

const { tree } = NO_LOG;
const times = { time: 3000, cursor: 2000, looked: 1000 };
const first: Commit = {
  origin: 'log.example/ailog',
  n: 1,
  ...times,
  retentionDays: 0,
  from: tree,
  to: tree,
  entries: [],
};
const log = growBy(NO_LOG, first);

test('a commit may have the times of the one before', () => {
  expect(growBy(log, { ...first, n: 2 }).last).toMatchObject({ n: 2, ...times });
});

test.each(['time', 'cursor', 'looked'] as const)('a commit whose %s goes back does not continue the log', (name) => {
  const next = { ...first, n: 2, [name]: times[name] - 1 };
  expect(() => growBy(log, next)).toThrow(`its ${name} is ${next[name]}, and that of the commit before is`);
});
