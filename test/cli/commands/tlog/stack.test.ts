import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, test, vi } from 'vitest';
import { localRunOptions } from '../../../../cli/local/sequence.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey, type VerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { receiptKeyTable } from '../../../../functions/sequencer/receiptKeyTable.ts';
import { runSequencer } from '../../../../functions/sequencer/run.ts';
import { s3Storage } from '../../../../functions/sequencer/s3Storage.ts';
import { receiptKeyContext } from '../../../../functions/tlog/tlogTable.ts';
import { startCloud } from '../../../sequencer/cloud.ts';
import { startWitness } from '../../../sequencer/witnessServer.ts';
import { startAws } from '../../../setup/aws.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { openFixture } from '../../../setup/fixture.ts';
import { notes } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { oldTeam, uploadAt } from '../logs/entries.ts';

/** A deployment: its tables, a bucket with its log, and a KMS key that seals its receipt key. */
const fixture = await openFixture({ receiptKey: false });
const { db, names, environment } = fixture;
const cloud = await startCloud();
const cwd = temporaryFolder();
const local = localRunOptions({ db, tables: names, folder: cwd, keyFile: environment.CREDENTIALS_KEY_FILE });
const [signer] = await local.signers(AbortSignal.timeout(1000));
/** The time of the cosignatures of the witnesses, in seconds since 1970. */
let witnessedAt = 1_763_112_660;
const witnesses = await Promise.all(
  ['one.example', 'two.example'].map((name) => startWitness(name, signer?.key as VerifierKey, () => witnessedAt)),
);
const lines = witnesses.map(({ key, url }, index) => `witness w${index} ${formatVerifierKey(key)} ${url}`);
const policy = [...lines, 'group both all w0 w1', 'quorum both\n'].join('\n');
const log = { origin: 'localhost/ailog', bucket: 'bucket', witnesses: policy };
const aws = await startAws('AiLogUpload-test', names, undefined, log);
const settings = {
  ...aws.environment,
  AWS_ENDPOINT_URL_S3: cloud.environment.AWS_ENDPOINT_URL_S3,
  AWS_ENDPOINT_URL_DYNAMODB: environment.AWS_ENDPOINT_URL_DYNAMODB,
  AWS_REGION: 'eu-central-1',
};
for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const witness of witnesses) witness.close();
  await cloud.close();
  await aws.close();
});

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
const storage = s3Storage(new S3Client(), 'bucket');
const receiptKeys = receiptKeyTable(db, names.tlog, generate);
const options = { ...local, storage, receiptKeys, lagMs: 0, now: () => Date.now() + 1 };
/** Appends what was uploaded. @returns the size of the log */
const sequence = async () =>
  (await runSequencer({ ...options, witnesses: parsePolicy(policy) }, AbortSignal.timeout(30_000))).size;
const team = await oldTeam(fixture);
const upload = () => uploadAt(fixture, team, Date.now());
const entryId = await upload();
await sequence();

const onStack = (...args: string[]) => runCommand([...args, '--stack', 'AiLogUpload-test'], { cwd });

test('an entry of a deployment is proven from its tables and its bucket, without the right to its receipt key', async () => {
  aws.forbidDecrypt();
  expect(await onStack('prove', entryId, '-o', 'one')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(existsSync(join(cwd, 'one.tlog-proof'))).toBe(true);
  expect((await onStack('logs', 'show', entryId)).stdout).toMatch(
    /^transparency log {4}index 3, between \S+Z and \S+Z, say 2 witnesses$/m,
  );
  expect(await onStack('tlog', 'status')).toMatchObject({ exitCode: 0 });
});

test('a deployment is audited, from its tables and its bucket', async () => {
  const { exitCode, stdout } = await onStack('tlog', 'audit', '--json');
  const result = JSON.parse(stdout);
  expect([exitCode, result.findings, result.notChecked]).toEqual([0, [], []]);
  expect(result).toMatchObject({ size: 4, checkpoints: 4, rows: 1, files: cloud.objects.size });

  // A row of another table is missing in this one. The bucket tells when its leaf was stored.
  const empty = await openFixture({ receiptKey: false });
  const outputs = await startAws('AiLogUpload-test', { ...fixture.names, aiLogs: empty.names.aiLogs }, undefined, log);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', outputs.environment.AWS_ENDPOINT_URL_CLOUDFORMATION);
  const { stdout: without } = await onStack('tlog', 'audit', '--json');
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', aws.environment.AWS_ENDPOINT_URL_CLOUDFORMATION);
  outputs.close();
  const [removed] = JSON.parse(without).findings;
  expect(removed).toMatchObject({ kind: 'removed' });
  expect(removed.problem).toMatch(/between checkpoints\/\d \(2.*\) and checkpoints\/4 \(2.*\)/);
});

/** Proves an entry. @returns the second line of the checkpoint in the proof, and what `ailog verify` says of it */
async function proven(id: string) {
  const name = `proof-${id}`;
  const { exitCode, stderr } = await onStack('prove', id, '-o', name);
  if (exitCode !== 0) return { exitCode, stderr };
  const proof = readFileSync(join(cwd, `${name}.tlog-proof`), 'utf8');
  const policy = await onStack('tlog', 'export-policy');
  writeFileSync(join(cwd, 'tlog.policy'), policy.stdout);
  const verified = await runCommand(['verify', `${name}.tlog-proof`, '--policy', 'tlog.policy'], { cwd });
  for (const ending of ['tlog-proof', 'preimage']) rmSync(join(cwd, `${name}.${ending}`));
  return {
    exitCode: verified.exitCode,
    size: Number(/localhost\/ailog\n(\d+)\n/.exec(proof)?.[1]),
    says: verified.stdout,
  };
}

test('a proof takes the first cosigned checkpoint with the entry, and has the times of its cosignatures', async () => {
  const says = (at: number) => {
    const time = new Date(at * 1000).toISOString();
    return expect.stringContaining(`2 of 2 witnesses cosigned this state of the log: w0 at ${time}, w1 at ${time}.`);
  };
  const first = witnessedAt;
  witnessedAt += 60;
  const early = await upload();
  witnesses[1]?.answer([503, '']);
  const missed = await sequence();
  witnesses[1]?.answer(undefined);
  const late = await upload();
  const both = await sequence();
  const second = witnessedAt;
  witnessedAt += 60;
  const newest = await upload();
  const size = await sequence();
  expect([missed, both, size]).toEqual([5, 6, 7]);

  expect(await proven(entryId)).toEqual({ exitCode: 0, size: 4, says: says(first) });
  // Nothing of size 5 has the quorum.
  expect(await proven(early)).toEqual({ exitCode: 0, size: 6, says: says(second) });
  expect(await proven(late)).toEqual({ exitCode: 0, size: 6, says: says(second) });
  expect(await proven(newest)).toEqual({ exitCode: 0, size: 7, says: says(witnessedAt) });

  // As an admin of the bucket can change it.
  const kept = cloud.objects.get('cosigned/6') as NonNullable<ReturnType<typeof cloud.objects.get>>;
  const change = (body: Buffer) => cloud.objects.set('cosigned/6', { ...kept, body });
  const unwitnessed = cloud.objects.get('checkpoints/6')?.body as Buffer;
  const [one = ''] = /^— one\.example .*\n/m.exec(kept.body.toString()) ?? [];
  for (const body of [unwitnessed, Buffer.concat([unwitnessed, Buffer.from(one)])]) {
    change(body);
    expect(await proven(early)).toEqual({ exitCode: 0, size: 7, says: says(witnessedAt) });
  }
  change(cloud.objects.get('cosigned/7')?.body as Buffer);
  expect(await proven(early)).toMatchObject({ size: 7 });
  change(Buffer.from(kept.body.toString().replace('\n6\n', '\n5\n')));
  expect(await proven(early)).toMatchObject(notes(1, 'cosigned/6'));
  cloud.objects.set('cosigned/6', kept);
});
