import { InternalServerError, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { isDependencyFailure, isPartitionThrottled } from '../functions/dependencyFailure.ts';

const error = (name: string, properties = {}) => Object.assign(new Error('failed'), { name, ...properties });
const response = (httpStatusCode: number) => ({ message: 'failed', $metadata: { httpStatusCode } });

test.each<[what: string, expected: boolean, failure: unknown]>([
  ['a call that the deadline aborted', true, error('AbortError')],
  ['a call that timed out', true, error('TimeoutError')],
  ['a throttled call', true, new ProvisionedThroughputExceededException(response(400))],
  ['a throttled call of another service', true, error('ThrottlingException', response(400))],
  ['an error 500', true, new InternalServerError(response(500))],
  ['a connection that was reset', true, error('Error', { code: 'ECONNRESET' })],
  ['an item that is wrong', false, error('ValidationException', response(400))],
  ['an error of the program', false, new TypeError('failed')],
  ['something that is not an error', false, { name: 'AbortError' }],
  ['nothing', false, undefined],
])('isDependencyFailure: %s: %s', (_, expected, failure) => {
  expect(isDependencyFailure(failure)).toBe(expected);
});

describe('isPartitionThrottled', () => {
  const throttled = (...reasons: (string | undefined)[]) =>
    new ProvisionedThroughputExceededException({
      ...response(400),
      ThrottlingReasons: reasons.map((reason) => (reason === undefined ? {} : { reason })),
    });
  // biome-ignore format: one case a line
  test.each<[what: string, expected: boolean, failure: unknown]>([
    ['a partition of the table', true, throttled('TableWriteKeyRangeThroughputExceeded')],
    ['partitions of the table and of an index', true, throttled('TableWriteKeyRangeThroughputExceeded', 'IndexWriteKeyRangeThroughputExceeded')],
    ['a partition that is read', false, throttled('TableReadKeyRangeThroughputExceeded')],
    ['a partition and the account', false, throttled('TableWriteKeyRangeThroughputExceeded', 'TableWriteAccountLimitExceeded')],
    ['a reason without a name', false, throttled(undefined)],
    ['no reason', false, throttled()],
    ['another error', false, new Error('failed')],
    ['nothing', false, undefined],
    ['null', false, null],
  ])('%s: %s', (_, expected, failure) => {
    expect(isPartitionThrottled(failure)).toBe(expected);
  });
});
