import { beforeEach, expect, test } from 'vitest';
import { says, world } from '../../../setup/world.ts';

let settings: Record<string, string> = {};
const stack = await world().deployed({ monitored: () => ({ alarms: [], metrics: {}, settings }) });
beforeEach(() => stack.allowlist.put({ uid: '1001', status: 'approved' }));

/** Runs a command on the deployment with these settings. */
const onStack = (deployed: Record<string, string>, ...args: string[]) => {
  settings = deployed;
  return stack.ailog(args);
};
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
  expect(await stack.allowlist.get('1001')).toMatchObject({ status: 'approved' });
  expect(await onStack(deployed, ...disqualify, '--without-review')).toMatchObject({ exitCode: 0 });
  const why = 'without review: reviewed: no AI';
  const entry = await stack.allowlist.get('1001');
  expect([entry?.status, entry?.reason, entry?.history?.at(-1)?.why]).toEqual(['disqualified', why, why]);
  const { stdout } = await onStack(deployed, 'allowlist', 'show', '1001');
  expect(stdout).toMatch(/^reason +without review: reviewed: no AI$/m);
  expect(stdout).toMatch(/ disqualified +without review: reviewed: no AI\n$/);
});

test('in a stage for trying out, a reason is enough', async () => {
  expect(await onStack({ stage: 'dev', disposable: 'true' }, ...disqualify)).toMatchObject({ exitCode: 0 });
});
