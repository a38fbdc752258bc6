import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localSigner } from '../../../../cli/local/sequenceKeys.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { ensureReceiptKey } from '../../../../functions/sequencer/receiptKeys.ts';
import { s3Storage } from '../../../../functions/sequencer/s3Storage.ts';
import { run } from '../../../../functions/sequencer/sequence.ts';
import { newWitness } from '../../../c2sp/keys.ts';
import {
  noDeadline,
  openStack,
  runCommand,
  startAws,
  startCloud,
  startWitness,
  temporaryFolder,
  world,
} from '../../../setup/world.ts';

/** Creates a deployment: its tables with an entry, a bucket with its log, and KMS with its public checkpoint key. */
async function openDeployment() {
  const fixture = await world({ receiptKey: false });
  const cloud = await startCloud();
  const cwd = temporaryFolder();
  const local = fixture.runOptions;
  const [signer] = await local.signers(noDeadline());
  const checkpointKey = signer?.key as NonNullable<typeof signer>['key'];
  const witness = await startWitness('one.example', checkpointKey, () => Math.floor(Date.now() / 1000));
  const policy = `witness w ${formatVerifierKey(witness.key)} ${witness.url}\nquorum w\n`;
  const log = { origin: 'localhost/ailog', bucket: 'bucket', witnesses: policy, checkpointKey };
  const more = { AWS_ENDPOINT_URL_S3: cloud.environment.AWS_ENDPOINT_URL_S3 };
  const aws = await openStack(fixture, { log, more });
  const use = () => {
    for (const [name, value] of Object.entries(aws.variables)) vi.stubEnv(name, value);
  };
  use();
  const options = { ...local, storage: s3Storage(new S3Client(), 'bucket', log.origin), lagMs: 0 };
  await ensureReceiptKey(options, 1, noDeadline());
  const team = await fixture.oldTeam();
  const entryId = await fixture.uploadAt(team, Date.now());
  await run({ ...options, witnesses: parsePolicy(policy), now: () => Date.now() + 1 }, noDeadline());
  return {
    ...{ fixture, cloud, cwd, local, checkpointKey, policy, log, aws, options, team, entryId, use },
    onStack: (...args: string[]) => runCommand([...args, '--stack', 'AiLogUpload-test'], { cwd }),
  };
}

/** The deployment of the tests that change nothing. */
const read = await openDeployment();
beforeEach(() => read.use());
afterEach(() => vi.unstubAllEnvs());

test('an entry of a deployment is looked up in its bucket, without the right to a secret', async () => {
  const { aws, entryId, onStack } = await openDeployment();
  aws.forbidDecrypt();
  expect((await onStack('logs', 'show', entryId)).stdout).toMatch(/^transparency log +index 0, since \S+Z, the org/m);
});

test('the status ends with exit code 5 if too few witnesses cosigned', async () => {
  const other = formatVerifierKey(newWitness('two.example').key);
  const witnesses = `witness w ${other} https://two.example\nquorum w\n`;
  const aws = await startAws('AiLogUpload-test', read.fixture.names, undefined, { ...read.log, witnesses });
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  const { exitCode, stdout, stderr } = await read.onStack('tlog', 'status');
  expect([exitCode, stderr]).toEqual([5, 'Too few witnesses cosigned the newest checkpoint.\n']);
  expect(stdout).toMatch(/^quorum +no$/m);
});

test('the status of a deployment is that of its newest checkpoint and commit', async () => {
  const { log, onStack } = read;
  const { exitCode, stdout, stderr } = await onStack('tlog', 'status', '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    origin: log.origin,
    size: 1,
    commit: 1,
    retentionDays: 0,
    quorum: true,
    cosigned: { w: expect.stringMatching(/Z$/) },
  });
  const { stdout: text } = await onStack('tlog', 'status');
  expect(text).toMatch(/^retention +for ever$/m);
});

test('the policy of a deployment has its keys and its witnesses', async () => {
  const { checkpointKey, onStack } = read;
  const { exitCode, stdout } = await onStack('tlog', 'export-policy');
  const { logs, receipts, witnesses } = parsePolicy(stdout);
  expect(exitCode).toBe(0);
  expect([logs.map(({ key }) => key), receipts.length, [...witnesses.keys()]]).toEqual([[checkpointKey], 1, ['w']]);
});

test('a deployment is audited, from its tables and its bucket', async () => {
  const { cloud, onStack } = read;
  const { exitCode, stdout } = await onStack('tlog', 'audit', '--json');
  const result = JSON.parse(stdout);
  expect([exitCode, result.findings, result.unchecked]).toEqual([0, [], []]);
  expect(result).toMatchObject({ size: 1, commits: 1, rows: 1, logged: 1, files: cloud.objects.size });
});

test('a commit that was deleted and created again leaves its versions, and so does a checkpoint that was put back', async () => {
  const { cloud, fixture, log, onStack, options, team } = await openDeployment();
  const s3 = new S3Client();
  const file = (path: string) => ({ Bucket: 'bucket', Key: `${log.origin}/${path}` });
  const bodyOf = (path: string) => cloud.objects.get(`${log.origin}/${path}`)?.body as Buffer;
  const audit = async () => {
    const { exitCode, stdout } = await onStack('tlog', 'audit', '--json');
    return [exitCode, JSON.parse(stdout).findings.map(({ problem }: { problem: string }) => problem)];
  };
  const first = bodyOf('checkpoint');
  const commit = bodyOf('commits/0000000001');
  await fixture.uploadAt(team, Date.now());
  await run({ ...options, now: () => Date.now() + 1 }, noDeadline());
  const newest = bodyOf('checkpoint');
  expect(await audit()).toEqual([expect.any(Number), []]);
  await s3.send(new DeleteObjectCommand(file('commits/0000000001')));
  for (const [path, Body] of [
    ['commits/0000000001', commit],
    ['checkpoint', first],
    ['checkpoint', newest],
  ] as const)
    await s3.send(new PutObjectCommand({ ...file(path), Body }));
  expect(await audit()).toEqual([
    1,
    expect.arrayContaining([
      'commits/0000000001 has a delete marker: somebody deleted it.',
      'commits/0000000001 has several versions: somebody replaced it.',
      'checkpoint was that of commit 2, and then that of an earlier one.',
    ]),
  ]);
});

test('after a rotation of the checkpoint key, a policy needs the earlier key for the notes that it signed', async () => {
  const { checkpointKey, cwd, fixture, local, log, onStack, options, policy } = await openDeployment();
  const { environment, names } = fixture;
  writeFileSync(join(cwd, 'before.policy'), (await onStack('tlog', 'export-policy')).stdout);
  const next = localSigner(environment.CREDENTIALS_KEY_FILE, log.origin, '2');
  const signers = async () => [...(await local.signers(noDeadline())), next];
  const rotation = { ...options, signers, witnesses: parsePolicy(policy), now: () => Date.now() + 1 };
  await run(rotation, noDeadline());
  const rotated = await startAws('AiLogUpload-test', names, undefined, { ...log, checkpointKey: next.key });
  for (const [name, value] of Object.entries(rotated.environment)) vi.stubEnv(name, value);
  const exported = async (...args: string[]) => {
    const { exitCode, stdout } = await onStack('tlog', 'export-policy', ...args);
    const { logs, receipts } = parsePolicy(stdout);
    return [exitCode, logs.map(({ key }) => key), receipts.length];
  };
  expect(await exported()).toEqual([1, [next.key], 0]);
  expect(await exported('--keep', 'before.policy')).toEqual([0, [next.key, checkpointKey], 1]);
  const { exitCode, stderr } = await onStack('tlog', 'status');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('receipt-keys/1 cannot be trusted')]);
});
