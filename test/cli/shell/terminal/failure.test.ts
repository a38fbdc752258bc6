import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { namingFile, replaceFile } from '../../../../cli/shell/files/write.ts';
import { Failure, failureOf, type Outcome } from '../../../../cli/shell/terminal/failure.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);

// biome-ignore format: one case a line
const cases: [name: string, error: unknown, outcome: Outcome, message: string, advice: string | undefined][] = [
  ['a closed port', error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), 'unreachable', 'The service does not answer: connect ECONNREFUSED 127.0.0.1:1.', 'Check the network, --region, and HTTPS_PROXY, AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['an error without a message', error('', { code: 'ETIMEDOUT' }), 'unreachable', 'The service does not answer: ETIMEDOUT.', 'Check the network, --region, and HTTPS_PROXY, AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['a timeout of the SDK', error('too late', { name: 'TimeoutError' }), 'unreachable', 'The service does not answer: too late.', 'Check the network, --region, and HTTPS_PROXY, AWS_ENDPOINT_URL… and DYNAMODB_ENDPOINT if they are set.'],
  ['no credentials', error('none', { name: 'CredentialsProviderError' }), 'usage', 'No AWS credentials were found.', 'Sign in (aws sso login), or use a profile that is signed in: --profile NAME.'],
  ['no region', error('Region is missing'), 'usage', 'No AWS region given.', 'Give --region, or set AWS_REGION.'],
  ['a missing table', error('gone', { name: 'ResourceNotFoundException', $metadata: {} }), 'rejected', 'A table or key does not exist.', 'npm start creates the local tables; npm run deploy creates those of a deployment.'],
  ['an error of AWS', error('not allowed.', { name: 'AccessDeniedException', $metadata: {} }), 'rejected', 'AWS rejected the request: AccessDeniedException: not allowed.', undefined],
  ['a missing file', error('x', { code: 'ENOENT', path: 'a.csv' }), 'usage', 'There is no file a.csv.', undefined],
  ...[
    ['EACCES', 'you have no permission'],
    ['EPERM', 'you have no permission'],
    ['EROFS', 'its disk is read-only'],
    ['ENOSPC', 'its disk is full'],
    ['EDQUOT', 'your quota of its disk is used up'],
    ['EFBIG', 'it would be larger than a file may be'],
    ['EEXIST', 'it exists already'],
  ].map(([code, why]): (typeof cases)[number] =>
    [`a file with ${code}`, error('x', { code, path: 'a.csv' }), 'usage', `The file a.csv cannot be used: ${why} (${code}).`, undefined]),
  ['a folder that the error does not name', error('x', { code: 'EISDIR' }), 'usage', 'A file cannot be used: it is a folder (EISDIR).', undefined],
  ['a missing file that the error does not name', error('x', { code: 'ENOENT' }), 'usage', 'A file cannot be used: it is missing (ENOENT).', undefined],
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

// biome-ignore format: one case a line
test.each<[string, (folder: string) => unknown, string]>([
  ['a missing file', (folder) => readFileSync(join(folder, 'none')), 'There is no file FOLDER/none.'],
  ['a missing folder', (folder) => writeFileSync(join(folder, 'none/deep/a.part'), ''), 'There is no folder FOLDER/none/deep.'],
  ['a missing folder to list', (folder) => readdirSync(join(folder, 'none')), 'There is no folder FOLDER/none.'],
  ['a folder that is a file', (folder) => readFileSync(join(folder, 'file/a.csv')), 'FOLDER/file is a file, not a folder.'],
  ['a file in place of a folder', (folder) => readdirSync(join(folder, 'file')), 'FOLDER/file is a file, not a folder.'],
  ['a file in place of a folder to make', (folder) => mkdirSync(join(folder, 'file'), { recursive: true }), 'FOLDER/file is a file, not a folder.'],
  ['a folder in place of a file', (folder) => namingFile(folder, () => readFileSync(folder)), 'FOLDER is a folder, not a file.'],
  ['a folder in place of a file to replace', (folder) => replaceFile(join(folder, 'some'), ''), 'FOLDER/some is a folder, not a file.'],
  ['a file that must not be there', (folder) => linkSync(join(folder, 'file'), join(folder, 'other')), 'The file FOLDER/other cannot be used: it exists already (EEXIST).'],
])('%s is named as what it is', (_name, step, message) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'some'));
  for (const name of ['file', 'other']) writeFileSync(join(folder, name), '');
  let failure: Failure | undefined;
  try {
    step(folder);
  } catch (error) {
    failure = failureOf(error);
  }
  expect(failure).toMatchObject({ outcome: 'usage', message: message.replace('FOLDER', folder) });
});

test.each([
  ['the local data has no settings of a deployment.', 'The local data has no settings of a deployment.'],
  ['the standard input was not sent.', 'The standard input was not sent.'],
  ['the.json was not sent.', 'the.json was not sent.'],
])('%s begins as a sentence, unless with the name of a file', (message, says) => {
  expect(new Failure('usage', message).message).toBe(says);
});

test('a failure stays the same', () => {
  const failure = new Failure('negative', 'No.', { advice: 'Try again.' });
  expect(failureOf(failure)).toBe(failure);
});
