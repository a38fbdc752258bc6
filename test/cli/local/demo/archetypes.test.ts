import { expect, test } from 'vitest';
import { createCompetition } from '../../../../cli/local/demo/competition.ts';
import { judgeArchetypes } from './judgeArchetypes.ts';

test('each team of the demo is found for what an honest reviewer finds, and for nothing else', async () => {
  expect(await judgeArchetypes(createCompetition('1'))).toEqual({ falseAlarms: [], misses: [] });
});
