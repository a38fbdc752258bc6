import { describe, expect, test } from 'vitest';
import type { Line } from '../../../cli/proof/evidence/journal.ts';
import { signRequest } from '../../../cli/upload/attempt.ts';
import { type LogFile, planUpload } from '../../../cli/upload/sendOnRecord.ts';

const access = { url: 'https://api.example.com', accessKey: 'k', secret: 's', passphrase: 'p' };
const log: LogFile = { file: '1.json', body: Buffer.from('{}'), digest: 'd' };
const lineOf = (state: Line['state'], more: Partial<Line> = {}) =>
  ({ file: '1.json', state, digest: 'd', entryId: '1763103201300-00', ...more }) as Line;
const plan = (last: Line | undefined, { again = false, ...change }: Partial<LogFile> & { again?: boolean } = {}) =>
  planUpload(last, { ...log, ...change }, { access, again });

test('a log that is new, or certainly not stored, is sent', () => {
  expect([plan(undefined), plan(lineOf('not stored'))]).toEqual([{ do: 'send' }, { do: 'send' }]);
});

describe('a log that is stored', () => {
  const { entryId } = lineOf('stored');
  const OTHER_ORDER = 'a log of another order needs a new name';

  test.each<[string, Partial<Line>, Partial<LogFile>]>([
    ['with the same content', {}, {}],
    ['with the same order', { order: '7' }, { order: '7' }],
    ['with an order that is not repeated', { order: '7' }, {}],
    ['also with --again', {}, { again: true } as object],
  ])('is skipped %s', (_name, line, change) => {
    expect(plan(lineOf('stored', { receipt: 'r', ...line }), change)).toEqual({ do: 'skip', entryId, receipt: 'r' });
  });

  test.each<[string, Partial<Line>, Partial<LogFile>, string]>([
    ['changed', {}, { digest: 'x' }, 'the file changed after it was stored; a new log needs a new name'],
    ['had no order', {}, { order: '7' }, `it was stored without --order; ${OTHER_ORDER}`],
    ['had another order', { order: '8' }, { order: '7' }, `it was stored with --order 8; ${OTHER_ORDER}`],
  ])('is left if it %s', (_name, line, change, says) => {
    expect(plan(lineOf('stored', line), change)).toEqual({ do: 'leave', status: 'changed', entryId, says });
  });
});

describe.each(['sending', 'unknown'] as const)('a log that may be stored (%s)', (state) => {
  const requestAt = (age: number) => signRequest(access, log.body, Date.now() - age);

  test('is sent again as the identical request while that is fresh', () => {
    const resume = requestAt(20_000);
    expect(plan(lineOf(state, { entryId: resume.entryId }))).toEqual({ do: 'send', resume });
  });

  test.each([
    ['is too old', 28_100, {}],
    ['had other content', 0, { body: Buffer.from('{ }') }],
  ])('is left if its request %s, and sent with --again', (_name, age, change) => {
    const { entryId } = requestAt(age);
    const says = 'an earlier run may have stored it; --again re-uploads it';
    const last = lineOf(state, { entryId });
    expect(plan(last, change)).toEqual({ do: 'leave', status: 'unknown', entryId, says });
    expect(plan(last, { ...change, again: true })).toEqual({ do: 'send' });
  });
});
