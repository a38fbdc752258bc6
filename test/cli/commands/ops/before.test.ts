import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../cli/local/serve.ts';
import { type Health, judgeMail } from '../../../../cli/store/targets/health.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { says } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

/** What an account answers, by the call: a status and a body in the format of the service. */
type Answers = Record<string, [status: number, body: object | string]>;
const xml = (call: string, result: string) =>
  `<${call}Response><${call}Result>${result}</${call}Result></${call}Response>`;
const member = (status: string) =>
  xml(
    'DescribeStacks',
    `<Stacks><member><StackName>S</StackName><StackStatus>${status}</StackStatus></member></Stacks>`,
  );
const none =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack does not exist</Message></Error></ErrorResponse>';
const noCredentials = none.replace('ValidationError', 'ExpiredToken').replace('Stack does not exist', 'says so');
const error = (name: string): [number, object] => [400, { __type: name, message: 'says so' }];

const ready: Answers = {
  GetCallerIdentity: [200, xml('GetCallerIdentity', '<Arn>arn:aws:iam::1:user/a</Arn><Account>1</Account>')],
  'DescribeStacks CDKToolkit': [200, member('UPDATE_COMPLETE')],
  'DescribeStacks AiLogUpload-test': [400, none],
  ListTables: [200, { TableNames: ['AiLogUpload-test-2-TablesAllowlist'] }],
  GetAccountSettings: [200, { AccountLimit: { ConcurrentExecutions: 1000 } }],
  DescribeLimits: [200, { TableMaxWriteCapacityUnits: 40_000 }],
  GenerateDataKeyPairWithoutPlaintext: error('NotFoundException'),
};
let answers = ready;
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  const query = new URLSearchParams(body);
  const named = `${query.get('Action')} ${query.get('StackName') ?? ''}`.trim();
  const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
  const call = request.url?.includes('/account-settings') ? 'GetAccountSettings' : (target ?? named);
  const [status, answer] = answers[call] ?? [500, `no answer to ${call}`];
  response.statusCode = status;
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
});
beforeAll(async () => {
  const url = await listen(server, 0);
  // Other files of this process may have left endpoints of single services, which take precedence.
  const services = ['', '_CLOUDFORMATION', '_DYNAMODB', '_KMS', '_LAMBDA', '_STS'];
  for (const service of services) vi.stubEnv(`AWS_ENDPOINT_URL${service}`, url);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'x');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
});
beforeEach(() => {
  answers = ready;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

/** Checks the account with other answers. @returns the exit code, and the findings that are not ok */
async function check(other: Answers = {}) {
  answers = { ...ready, ...other };
  const { exitCode, stdout, stderr } = await runCommand(['ops', 'check', '--before', 'test', '--json']);
  const findings: Health[] = JSON.parse(stdout);
  expect(stderr).toMatch(exitCode === 0 ? /^Ready, with warnings: / : /^Not ready: /);
  return { exitCode, count: findings.length, found: findings.filter(({ status }) => status !== 'ok') };
}
const noMail = { check: 'alarm mail', status: 'warning', says: 'nobody gets alarms: set alarmEmail' };

test('an account that is ready', async () => {
  expect(await check()).toEqual({ exitCode: 0, count: 7, found: [noMail] });
});

// biome-ignore format: one case a line
test.each<[string, Answers, number, Health]>([
  ['without a bootstrap', { 'DescribeStacks CDKToolkit': [400, none] }, 1, { check: 'bootstrap', status: 'failing', says: 'missing: run npx cdk bootstrap' }],
  ['with the stack', { 'DescribeStacks AiLogUpload-test': [200, member('CREATE_COMPLETE')] }, 0, { check: 'stack', status: 'warning', says: 'AiLogUpload-test exists: CREATE_COMPLETE' }],
  ['with tables of a deleted stack', { ListTables: [200, { TableNames: ['AiLogUpload-test-TablesA', 'AiLogUpload-test-2-TablesA'] }] }, 0, { check: 'stack', status: 'warning', says: 'a deleted AiLogUpload-test left 1 tables: docs/runbook/deleted-stack.md' }],
  ['that is new', { GetAccountSettings: [200, { AccountLimit: { ConcurrentExecutions: 10 } }] }, 1, { check: 'executions', status: 'failing', says: 'the account has 10: set accountConcurrency to that number' }],
  ['with small tables', { DescribeLimits: [200, { TableMaxWriteCapacityUnits: 3999 }] }, 1, { check: 'write units', status: 'failing', says: '3999 a second for a table, and 4000 are needed: request more' }],
  ['in a region without Ed25519', { GenerateDataKeyPairWithoutPlaintext: error('ValidationException') }, 1, { check: 'Ed25519 keys', status: 'failing', says: 'KMS of the region does not know them: choose another region' }],
  ['without credentials', { GetCallerIdentity: [403, noCredentials] }, 1, { check: 'account', status: 'failing', says: 'unknown: ExpiredToken: says so' }],
  ['that one may not read', { GenerateDataKeyPairWithoutPlaintext: error('AccessDeniedException') }, 0, { check: 'Ed25519 keys', status: 'warning', says: 'unknown: AccessDeniedException: says so' }],
])('an account %s', async (_, other, exitCode, finding) => {
  expect(await check(other)).toEqual({ exitCode, count: 7, found: expect.arrayContaining([finding, noMail]) });
});

test.each([
  ['without credentials in the environment', 'AWS_ACCESS_KEY_ID', 'No AWS credentials were found.\nSign in'],
  ['without a region', 'AWS_REGION', 'No AWS region given.\nGive --region'],
])('an account %s is not asked', async (_, name, message) => {
  const before = process.env[name];
  const none = join(temporaryFolder(), 'none');
  // Nor is there a profile, or a machine in AWS that has a role.
  for (const file of ['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE']) vi.stubEnv(file, none);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.stubEnv(name, before));
  expect(await runCommand(['ops', 'check', '--before', 'test'])).toEqual(says(2, expect.stringContaining(message)));
});

test('settings that cannot be deployed are named first, and a deployment is none before it', async () => {
  const wrong = await runCommand(['ops', 'check', '--before', 'X']);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^Setting stage is "X": it must be/) });
  const both = await runCommand(['ops', 'check', '--before', 'test', '--stack', 'S']);
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('an account without a deployment') });
});

test.each([
  [[], 'warning', 'nobody gets alarms: set alarmEmail'],
  [[['a@example.com', 'arn:aws:sns:eu-central-1:1:t:1']], 'ok', 'a@example.com'],
  [
    [
      ['a@example.com', 'PendingConfirmation'],
      ['b@example.com', 'arn:aws:sns:eu-central-1:1:t:1'],
    ],
    'warning',
    'a@example.com did not follow the link',
  ],
])('mail to %j', (subscriptions, status, says) => {
  const all = subscriptions.map(([Endpoint, SubscriptionArn]) => ({ Endpoint, SubscriptionArn }));
  expect(judgeMail(all)).toEqual({ check: 'alarm mail', status, says });
});
