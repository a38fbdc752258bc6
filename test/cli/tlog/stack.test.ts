import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { NO_RECEIPT } from '../../../cli/inclusion/receiptSigner.ts';
import { localRunOptions } from '../../../cli/local/sequence.ts';
import { receiptKeyTable } from '../../../functions/sequencer/receiptKeys.ts';
import { runSequencer } from '../../../functions/sequencer/run.ts';
import { s3Storage } from '../../../functions/sequencer/s3Storage.ts';
import { receiptKeyContext } from '../../../functions/tlog/tlogTable.ts';
import { startCloud } from '../../sequencer/cloud.ts';
import { startAws } from '../../setup/aws.ts';
import { runCommand } from '../../setup/commandLine.ts';
import { openFixture } from '../../setup/fixture.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { oldTeam, uploadAt } from '../logs/entries.ts';

/** A deployment: its tables, a bucket with its log, and a KMS key that seals its receipt key. */
let aws: Awaited<ReturnType<typeof startAws>>;
let cloud: Awaited<ReturnType<typeof startCloud>>;
let entryId: string;
const cwd = temporaryFolder();
let fixture: Awaited<ReturnType<typeof openFixture>>;
beforeAll(async () => {
  fixture = await openFixture({ receiptKey: false });
  const { db, names, environment } = fixture;
  cloud = await startCloud();
  aws = await startAws('AiLogUpload-test', names, undefined, { origin: 'localhost/ailog', bucket: 'bucket' });
  const settings = {
    ...aws.environment,
    AWS_ENDPOINT_URL_S3: cloud.environment.AWS_ENDPOINT_URL_S3,
    AWS_ENDPOINT_URL_DYNAMODB: environment.AWS_ENDPOINT_URL_DYNAMODB,
    AWS_REGION: 'eu-central-1',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);

  entryId = await uploadAt(fixture, await oldTeam(fixture), Date.now());
  const generate = async (origin: string) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const Plaintext = privateKey.export({ format: 'der', type: 'pkcs8' });
    const encrypt = new EncryptCommand({ KeyId: 'key', Plaintext, EncryptionContext: receiptKeyContext(origin) });
    const { CiphertextBlob } = await new KMSClient().send(encrypt);
    return {
      publicKey: publicKey.export({ format: 'der', type: 'spki' }),
      sealedPrivateKey: CiphertextBlob as Uint8Array,
    };
  };
  const local = localRunOptions({ db, tables: names, folder: cwd, keyFile: environment.CREDENTIALS_KEY_FILE });
  const storage = s3Storage(new S3Client(), 'bucket');
  const receiptKeys = receiptKeyTable(db, names.tlog, generate);
  await runSequencer(
    { ...local, storage, receiptKeys, lagMs: 0, now: () => Date.now() + 1 },
    AbortSignal.timeout(30_000),
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cloud.close();
  await aws.close();
});

const onStack = (...args: string[]) => runCommand([...args, '--stack', 'AiLogUpload-test'], { cwd });
const read = (file: string) => readFileSync(join(cwd, file), 'utf8');

test('an entry of a deployment is proven from its tables and its bucket, with a receipt by its KMS key', async () => {
  expect(await onStack('prove', entryId, '-o', 'one')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(read('one.receipt')).toMatch(/^ai-log-receipt\/v1\nlocalhost\/ailog\n/);
  expect(await onStack('tlog', 'status')).toMatchObject({ exitCode: 0 });
});

test('a deployment is audited, from its tables and its bucket', async () => {
  const { exitCode, stdout } = await onStack('tlog', 'audit', '--json');
  const result = JSON.parse(stdout);
  expect([exitCode, result.findings, result.notChecked]).toEqual([0, [], []]);
  expect(result).toMatchObject({ size: 3, checkpoints: 2, rows: 1, files: cloud.objects.size });

  // A row of another table is missing in this one. The bucket tells when its leaf was stored.
  const empty = await openFixture({ receiptKey: false });
  const outputs = await startAws('AiLogUpload-test', { ...fixture.names, aiLogs: empty.names.aiLogs }, undefined, {
    origin: 'localhost/ailog',
    bucket: 'bucket',
  });
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', outputs.environment.AWS_ENDPOINT_URL_CLOUDFORMATION);
  const { stdout: without } = await onStack('tlog', 'audit', '--json');
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', aws.environment.AWS_ENDPOINT_URL_CLOUDFORMATION);
  outputs.close();
  const [removed] = JSON.parse(without).findings;
  expect(removed).toMatchObject({ kind: 'removed' });
  expect(removed.problem).toMatch(/between checkpoints\/\d \(2.*\) and checkpoints\/3 \(2.*\)/);
});

test('without the permission to decrypt, everything but the receipts is written', async () => {
  aws.forbidDecrypt();
  const proven = await onStack('prove', entryId, '-o', 'two');
  expect(proven).toMatchObject({ exitCode: 0, stderr: `${NO_RECEIPT}\n` });
  expect([existsSync(join(cwd, 'two.tlog-proof')), existsSync(join(cwd, 'two.receipt'))]).toEqual([true, false]);
  expect(read('two.tlog-proof')).toBe(read('one.tlog-proof'));
  expect((await onStack('logs', 'show', entryId)).stdout).toContain('transparency log    since before ');

  const { stdout } = await onStack('logs', 'list', '--json');
  const stated = await onStack('statement', '--uid', JSON.parse(stdout)[0].uid, '-o', 'team.statement', '--json');
  expect(stated.stderr).toContain(NO_RECEIPT);
  expect(JSON.parse(stated.stdout)).toMatchObject({ entries: 1, logged: 1, receipts: false });
  expect(JSON.parse(read('team.statement').split('\n')[1] as string)).toMatchObject({
    receipt: null,
    status: 'logged',
  });
});
