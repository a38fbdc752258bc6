import { expect, test } from 'vitest';
import { Failure, failureOf, type Outcome } from '../../../../cli/shell/terminal/failure.ts';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);

// biome-ignore format: one case a line
const cases: [name: string, error: unknown, outcome: Outcome, message: string, advice: string | undefined][] = [
  ['a closed port', error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), 'unreachable', 'The service does not answer: connect ECONNREFUSED 127.0.0.1:1.', 'Check the network, --region, and AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['an error without a message', error('', { code: 'ETIMEDOUT' }), 'unreachable', 'The service does not answer: ETIMEDOUT.', 'Check the network, --region, and AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['a timeout of the SDK', error('too late', { name: 'TimeoutError' }), 'unreachable', 'The service does not answer: too late.', 'Check the network, --region, and AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['no credentials', error('none', { name: 'CredentialsProviderError' }), 'usage', 'No AWS credentials were found.', 'Sign in (aws sso login), or use a profile that is signed in: --profile NAME.'],
  ['no region', error('Region is missing'), 'usage', 'No AWS region given.', 'Give --region, or set AWS_REGION.'],
  ['a missing table', error('gone', { name: 'ResourceNotFoundException', $metadata: {} }), 'rejected', 'A table or key does not exist.', 'npm start creates the local tables; npm run deploy creates those of a deployment.'],
  ['an error of AWS', error('not allowed.', { name: 'AccessDeniedException', $metadata: {} }), 'rejected', 'AWS rejected the request: AccessDeniedException: not allowed.', undefined],
  ['a missing file', error('x', { code: 'ENOENT', path: 'a.csv' }), 'usage', 'There is no file a.csv.', undefined],
  ...['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ENOSPC', 'EEXIST'].map((code): (typeof cases)[number] =>
    [`a file with ${code}`, error('x', { code, path: 'a.csv' }), 'usage', `The file a.csv cannot be used: ${code}.`, undefined]),
  ['a defect', error('x is undefined'), 'internal', 'Internal error: x is undefined.', 'Run the command with --debug, and report its output.'],
  ['an error whose code only begins like one', error('x', { code: 'ECONNREFUSED_BY_PROXY' }), 'internal', 'Internal error: x.', 'Run the command with --debug, and report its output.'],
  ['an error whose code only ends like one', error('x', { code: 'NOT_EPIPE' }), 'internal', 'Internal error: x.', 'Run the command with --debug, and report its output.'],
  ['no error', 'a text', 'internal', 'a text', undefined],
];

test.each(cases)('%s', (_name, cause, outcome, message, advice) => {
  const failure = failureOf(cause);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ name: 'Failure', outcome, message });
  expect(failure.advice).toBe(advice);
  // --debug shows the cause.
  expect(failure.cause).toBe(cause instanceof Error ? cause : undefined);
});

test('a failure stays the same', () => {
  const failure = new Failure('negative', 'No.', { advice: 'Try again.' });
  expect(failureOf(failure)).toBe(failure);
});
