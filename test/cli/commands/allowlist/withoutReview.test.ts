import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { startAws } from '../../../setup/aws.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { openFixture } from '../../../setup/fixture.ts';
import { says } from '../../../setup/outcome.ts';

const fixture = await openFixture();
let settings: Record<string, string> = {};
const aws = await startAws('AiLogUpload-test', fixture.names, () => ({ alarms: [], metrics: {}, settings }));
afterAll(() => aws.close());
beforeEach(() => fixture.allowlist.put({ uid: '1001', status: 'approved' }));

/** Runs a command on a deployment with these settings. */
async function onStack(deployed: Record<string, string>, ...args: string[]) {
  settings = deployed;
  const { AWS_ENDPOINT_URL_DYNAMODB = '' } = fixture.environment;
  const environment = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION: 'eu-central-1' };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const ran = await runCommand([...args, '--stack', 'AiLogUpload-test']);
  vi.unstubAllEnvs();
  return ran;
}
const disqualify = ['allowlist', 'disqualify', '1001', '--reason', 'reviewed: no AI', '--yes'];

test.each([
  ['a stage that keeps its data', { stage: 'live', disposable: 'false' }],
  ['one whose settings are not known', {}],
])('in %s, one admin disqualifies nobody unless the history says so', async (_name, deployed) => {
  expect(await onStack(deployed, ...disqualify)).toEqual(
    says(
      2,
      'In AiLogUpload-test, two reviewers disqualify a team.\nGive --reviewed. To decide alone, which the history says: --reason TEXT --without-review.\n',
    ),
  );
  expect(await fixture.allowlist.get('1001')).toMatchObject({ status: 'approved' });
  expect(await onStack(deployed, ...disqualify, '--without-review')).toMatchObject({ exitCode: 0 });
  const why = 'without review: reviewed: no AI';
  const entry = await fixture.allowlist.get('1001');
  expect([entry?.status, entry?.reason, entry?.history?.at(-1)?.why]).toEqual(['disqualified', why, why]);
  const { stdout } = await onStack(deployed, 'allowlist', 'show', '1001');
  expect(stdout).toMatch(/^reason +without review: reviewed: no AI$/m);
  expect(stdout).toMatch(/ disqualified +without review: reviewed: no AI\n$/);
});

test('in a stage for trying out, a reason is enough', async () => {
  expect(await onStack({ stage: 'dev', disposable: 'true' }, ...disqualify)).toMatchObject({ exitCode: 0 });
});

test('--reviewed and --without-review exclude each other', async () => {
  const both = ['allowlist', 'disqualify', '1001', '--reviewed', '--without-review'];
  expect(await onStack({ stage: 'dev', disposable: 'true' }, ...both)).toEqual(
    says(2, 'Give either --reviewed or --without-review.\n'),
  );
});
