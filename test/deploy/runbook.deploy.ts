import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DescribeTableCommand,
  ListTablesCommand,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, EnableKeyCommand, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatProofFile } from '../../cli/proof/evidence/proofFile.ts';
import { headersOf } from '../../functions/tlog/paths.ts';
import type { ReceiptKeys } from '../../functions/tlog/tlogTable.ts';
import { signedUpload } from '../setup/upload.ts';
import { type Deployed, emulatedStage } from './cdk.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = join(ROOT, 'docs', 'runbook');

/** The blocks of commands in the runbook. */
const blocks = readdirSync(PAGES).flatMap((page) =>
  readFileSync(join(PAGES, page), 'utf8')
    .split(/^## /m)
    .flatMap((text) => {
      const section = text.split('\n')[0] as string;
      return [...text.matchAll(/^ *```bash\n(.*?)^ *```$/gms)].map(([, commands = '']) => ({
        page,
        section,
        commands,
      }));
    }),
);

/** The sections that the emulator cannot run, with the reason. */
const notEmulated: Record<string, string> = {
  'before-the-competition.md: Request quotas': 'it knows no service quotas of Lambda',
  'before-the-competition.md: Have AWS report unusual cost': 'it knows no budgets',
  'before-the-competition.md: Rehearse': 'it has neither a firewall nor a canary',
  'rising-bill.md: # The bill is rising': 'it knows no costs',
  'permissions.md: # Give people their permissions': 'its files have words to replace',
  'deploy.md: Deploy for the first time': 'the stack is deployed before the tests, with the settings for the emulator',
  'failed-deployment.md: If a rollback is stuck':
    'its tables have no warm throughput, and its rollbacks do not get stuck',
  'missing-rows.md: If the indexer does not run':
    'this stack keeps no feature rows: analytics.deploy.ts has one that does',
  'missing-rows.md: Empty the failure queue': 'this stack keeps no feature rows, and the other one has no failures',
  'lost-key.md: The KMS key is deleted': 'a deletion takes a week',
  'competition.md: Open': 'it makes files for teams in this folder: walk.deploy.ts makes them elsewhere',
  'competition.md: After the end': 'its public log has no address',
  'region-loss.md: Prepare': 'its public log has no address',
  'region-loss.md: Deploy in the second region': 'it has one region',
};

/** Lines that the emulator cannot run. */
const NOT_EMULATED = /^ *aws cloudtrail .*$/gm;

const stack = await useDeployment(() => ({ stage: 'prod' }));
let prod: Deployed;
/** What the operator has written into `stages.prod` of cdk.json. */
let settings: Record<string, string> = {};
const ran = new Set<string>();

/**
 * Runs the blocks of a section in one shell, as an operator would who fills in the words in capitals.
 * @param values the words in capitals and their values
 * @param variables shell variables that an earlier section has set
 * @returns the output
 */
function follow(page: string, section: string, values: Record<string, string>, variables = {}): Promise<string> {
  const found = blocks.filter((block) => block.page === page && block.section === section);
  expect(found, `${page}: ${section}`).not.toEqual([]);
  ran.add(`${page}: ${section}`);
  const options = emulatedStage(stack, { stage: 'prod', ...settings }).map((option) => `'${option}'`);
  const all = {
    // Version 1 of the AWS command line, which the tests have, does not know it.
    ' --no-overwrite': '',
    // Nobody is there to confirm.
    'npm run deploy -- -c stage=prod': `npm run deploy -- ${options.join(' ')} --require-approval never`,
    'npx cdk destroy -c stage=prod': `npx cdk destroy ${options.join(' ')} --force`,
    '> outputs.txt': `> ${join(stack.folder, 'outputs.txt')}`,
    ...values,
  };
  const script = Object.entries(all).reduce(
    (text, [word, value]) => text.replace(new RegExp(`(?<![A-Z_$"])${word}(?![A-Z_])`, 'g'), value),
    found.map(({ commands }) => commands.replace(NOT_EMULATED, '')).join('\n'),
  );
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-eo', 'pipefail', '-c', script],
      {
        cwd: ROOT,
        timeout: 180_000,
        env: {
          ...stack.emulator.environment,
          AWS_PAGER: '',
          STACK: prod.stackName,
          ...variables,
          PATH: [stack.programs, stack.emulator.environment.PATH].join(delimiter),
        },
      },
      (error, stdout, stderr) => (error ? reject(new Error(`${script}\n${stdout}\n${stderr}`)) : resolve(stdout)),
    );
  });
}

beforeAll(async () => {
  if (!stack.isHere) return;
  prod = stack.deployed;
  expect((await send(prod.baseUrl, signedUpload(stack.team))).status).toBe(200);
});

/** Waits until every entry of the team is in the transparency log: until then, the command exits with 5. */
async function untilLogged(): Promise<void> {
  const verified = () => stack.ailog.verifyLogs('42').catch(String);
  await expect.poll(verified, { timeout: 150_000, interval: 5000 }).toBeInstanceOf(Array);
}

test('deploy.md: rolling back switches the alias to a version', async () => {
  const output = await follow('deploy.md', 'Roll back', { VERSION: '1' });
  expect(output).toMatch(/^1\s+\d{4}-/m);
  expect(output).toContain('"FunctionVersion": "1"');
  expect((await send(prod.baseUrl, signedUpload(stack.team))).status).toBe(200);
});

test('deploy.md: the live version is shown, with the time of its code', async () => {
  const output = await follow('deploy.md', 'See which version is live', {});
  expect(JSON.parse(`[${output.replaceAll(/\]\s*\[/g, '],[')}]`)).toEqual([
    ['1', null],
    ['1', expect.stringMatching(/^\d{4}-/), expect.any(String)],
  ]);
});

test('failed-deployment.md: the events and the state of a stack are read', async () => {
  const output = await follow('failed-deployment.md', '# Repair a deployment that failed', {});
  expect(output.trim()).toMatch(/^\[\]\s+(CREATE|UPDATE)_COMPLETE$/);
});

test('rising-bill.md: the public log is paused', async () => {
  const folder = { 'distribution.json': 'd.json', 'paused.json': 'p.json' };
  const files = Object.fromEntries(Object.entries(folder).map(([name, file]) => [name, join(stack.folder, file)]));
  await follow('rising-bill.md', 'Pause the public log', files);
  const { ETag, ...config } = JSON.parse(readFileSync(join(stack.folder, 'd.json'), 'utf8'));
  expect([typeof ETag, config.DistributionConfig.Enabled]).toEqual(['string', true]);
  expect(JSON.parse(readFileSync(join(stack.folder, 'p.json'), 'utf8')).Enabled).toBe(false);
});

test('lost-key.md: a KMS key that is scheduled for deletion is enabled again', async () => {
  const { kms } = stack;
  const key = { KeyId: prod.credentialsKeyArn };
  await kms.send(new ScheduleKeyDeletionCommand(key));

  const output = await follow('lost-key.md', 'The KMS key is disabled or scheduled for deletion', {});

  expect(output).toContain('PendingDeletion');
  expect((await kms.send(new DescribeKeyCommand(key))).KeyMetadata?.KeyState).toBe('Enabled');
});

describe('restore.md', () => {
  const restored = () => `${prod.tables.aiLogs}-restored`;

  test('restores into a new table and waits for it', async () => {
    await follow('restore.md', '1. Restore into a new table', {
      '2025-11-14T09:30:00Z': new Date().toISOString().replace(/\.\d+/, ''),
    });
    const { Table } = await stack.dynamodb.send(new DescribeTableCommand({ TableName: restored() }));
    expect(Table?.TableStatus).toBe('ACTIVE');
  });

  test('verifies the entries, and deletes the restored table', async () => {
    await untilLogged();
    const output = await follow('restore.md', '3. Verify and clean up', {}, { TABLE: prod.tables.aiLogs });
    expect(output).toContain(restored());
    const { TableNames } = await stack.dynamodb.send(new ListTablesCommand());
    expect(TableNames).not.toContain(restored());
  });
});

test('competition.md: after the last upload, the log is in order and says what the tables say', async () => {
  const close = () => follow('competition.md', 'Close', {}).catch(String);
  await expect.poll(close, { timeout: 150_000, interval: 5000 }).toMatch(/^size +[1-9].*\nroot +\S/m);
});

/** The settings with which lost-tlog.md starts another log. */
const newLog = { checkpointKeys: '2', tlogOrigin: 'logs.example.com/ailog-2' };

describe('the pages about the transparency log', () => {
  const keys = async () =>
    (await stack.db.send(new GetCommand({ TableName: prod.tables.tlog, Key: { id: 'receipt-keys' } })))
      .Item as ReceiptKeys;
  const head = async () =>
    (await stack.db.send(new GetCommand({ TableName: prod.tables.tlog, Key: { id: 'head' }, ConsistentRead: true })))
      .Item;
  const values = () => ({ TLOG_TABLE: prod.tables.tlog, TLOG_BUCKET: prod.tlogBucket });
  const paths = async () =>
    ((await stack.s3.send(new ListObjectsV2Command({ Bucket: prod.tlogBucket }))).Contents ?? []).map(
      ({ Key }) => Key as string,
    );

  beforeAll(async () => {
    if (stack.isHere) expect(await stack.runSequencer()).toBeUndefined();
  });

  test('tlog-keys.md: the receipt key is replaced within two runs of the sequencer', async () => {
    const { current } = await keys();
    await follow('tlog-keys.md', 'The receipt key has leaked', {});
    await stack.runSequencer();
    await stack.runSequencer();
    expect((await keys()).previous.map(({ verifierKey }) => verifierKey)).toEqual([current.verifierKey]);
  });

  test('tlog-keys.md: a new receipt key is requested, and the policy with all earlier ones is exported', async () => {
    const file = join(stack.folder, 'tlog.policy');
    const { current, previous } = await keys();
    await follow('tlog-keys.md', 'Rotate the receipt key', { 'tlog.policy': file });
    const policy = readFileSync(file, 'utf8');
    for (const { verifierKey } of [current, ...previous]) expect(policy).toContain(verifierKey);
    expect(await stack.runSequencer()).toBeUndefined();
    expect((await keys()).next?.verifierKey).toBeDefined();
  });

  test('stopped-tlog.md: a deleted head is put back from a restored table', async () => {
    const client = stack.dynamodb;
    const TargetTableName = `${prod.tables.tlog}-restored`;
    const restore = { SourceTableName: prod.tables.tlog, TargetTableName, UseLatestRestorableTime: true };
    await client.send(new RestoreTableToPointInTimeCommand(restore));
    await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: TargetTableName });
    const before = await head();
    await stack.db.send(new DeleteCommand({ TableName: prod.tables.tlog, Key: { id: 'head' } }));
    expect(await stack.runSequencer()).toContain('no head');

    const file = join(stack.folder, 'head.json');
    const output = await follow('stopped-tlog.md', 'The head was deleted or rolled back', {
      ...values(),
      'head.json': file,
    });
    expect(output).toMatch(new RegExp(`^${before?.size}\\s`));
    expect(output.trim().split('\n').at(-1)).toBe(String(before?.size));
    const keysFile = { ...values(), 'keys.json': join(stack.folder, 'keys.json') };
    await follow('tlog-keys.md', 'The keys in the table are not those of the log', keysFile);
    // Version 1 of the AWS command line, which the tests have, encodes binary values twice.
    expect(await head()).toMatchObject({ version: before?.version, size: before?.size, keys: before?.keys });
    await stack.db.send(new PutCommand({ TableName: prod.tables.tlog, Item: before }));
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test('restore.md: the audit compares the tables with the log', async () => {
    const output = await follow('restore.md', '4. Compare the table AiLogs with the transparency log', {});
    expect(output).toMatch(/^table +entries: \d+, in the log: \d+$/m);
  });

  test('stopped-tlog.md: the log of the sequencer is read, and the transparency log is audited', async () => {
    const output = await follow('stopped-tlog.md', '# Restart a log that has stopped', {});
    // The emulator ignores the filter, so its answer is not the line with the condition.
    expect(output).toContain('RequestId');
    expect(output).toContain(`${prod.tlogOrigin}, entries: ${(await head())?.size}`);
  });

  test('stopped-tlog.md: a checkpoint key that a deployment forgot is found, and given back without a third one', async () => {
    const deploy = async (checkpointKeys: string) => {
      settings = { checkpointKeys };
      prod = await stack.cdk.deploy({ stage: 'prod', ...settings });
      return { arns: prod.checkpointKeyArns, failure: await stack.runSequencer() };
    };
    expect((await deploy('1,2')).failure).toBeUndefined();
    const kept = prod.checkpointKeyArns.split(',')[1] as string;
    // As if `checkpointKeys` were not in cdk.json any more.
    const forgotten = await deploy('3');
    expect([forgotten.arns === kept, forgotten.failure]).toEqual([false, expect.stringContaining('key')]);

    const output = await follow('stopped-tlog.md', 'Find the key that signed before', values());
    const lines = output.trim().split('\n');
    const ofLog = lines.filter((line) => !line.includes(' '));
    const found = lines.filter((line) => ofLog.includes(line.split(' ')[0] as string) && line.includes(' '));
    expect(found.map((line) => line.split(' ')[1])).toContain(kept);
    expect(output).toContain(forgotten.arns);
    expect(found.map((line) => line.split(' ')[1])).not.toContain(forgotten.arns);

    expect(await deploy(kept)).toEqual({ arns: kept, failure: undefined });
  }, 900_000);

  test('tlog-keys.md: the old checkpoint key is disabled', async () => {
    const { Body } = await stack.s3.send(new GetObjectCommand({ Bucket: prod.tlogBucket, Key: 'checkpoint' }));
    const checkpoint = (await Body?.transformToString()) as string;
    const [PROOF_FILE, CHECKPOINT_FILE] = ['kept.tlog-proof', 'kept'].map((name) => join(stack.folder, name)) as [
      string,
      string,
    ];
    writeFileSync(PROOF_FILE, formatProofFile({ index: 0, proof: [], checkpoint }));
    const values = { PROOF_FILE, CHECKPOINT_FILE, OLD_KEY_ARN: prod.checkpointKeyArns };
    await follow('tlog-keys.md', 'The checkpoint key has leaked', values);
    expect(readFileSync(CHECKPOINT_FILE, 'utf8')).toBe(checkpoint);
    const [kms, key] = [stack.kms, { KeyId: prod.checkpointKeyArns }];
    expect((await kms.send(new DescribeKeyCommand(key))).KeyMetadata?.Enabled).toBe(false);
    // The tests after this one go on with it.
    await kms.send(new EnableKeyCommand(key));
  });

  test('lost-tlog.md: the files are put back from a copy, and the log goes on', async () => {
    const copy = join(stack.folder, 'copy');
    const all = await paths();
    for (const path of all) {
      const { Body } = await stack.s3.send(new GetObjectCommand({ Bucket: prod.tlogBucket, Key: path }));
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), (await Body?.transformToByteArray()) as Uint8Array);
      await stack.s3.send(new DeleteObjectCommand({ Bucket: prod.tlogBucket, Key: path }));
    }
    expect(await stack.runSequencer()).toContain('older');
    await follow('lost-tlog.md', 'You have a copy of the bucket', { ...values(), COPY: copy });
    expect(await paths()).toEqual(all);
    for (const path of all) {
      const { ContentType, CacheControl } = await stack.s3.send(
        new HeadObjectCommand({ Bucket: prod.tlogBucket, Key: path }),
      );
      expect({ contentType: ContentType, cacheControl: CacheControl }, path).toEqual(headersOf(path));
    }
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test('lost-tlog.md: what the old log leaves behind is saved before the new one starts', async () => {
    const file = join(stack.folder, 'old-log.json');
    settings = newLog;
    await follow('lost-tlog.md', 'Start a new log', { ...values(), 'old-log.json': file });
    expect(readFileSync(file, 'utf8')).toContain('fromRoot');
    expect(await head()).toBeUndefined();
    const lost = prod.tlogBucket;
    prod = await stack.cdk.deploy({ stage: 'prod', ...settings });
    expect(prod.tlogBucket).not.toBe(lost);
    expect(await stack.runSequencer()).toBeUndefined();
    expect((await head())?.size).toBeGreaterThan(0);
  });
});

describe('deleted-stack.md', () => {
  test('a prod stack cannot be deleted by accident', async () => {
    await expect(stack.cdk.destroy({ stage: 'prod' })).rejects.toThrow(/TerminationProtection/);
    expect((await send(prod.baseUrl, signedUpload(stack.team))).status).toBe(200);
    await untilLogged();
  });

  test('deleting it on purpose keeps its tables and its key, which are found again', async () => {
    await follow('deleted-stack.md', 'Delete the stack', {});
    expect(readFileSync(join(stack.folder, 'outputs.txt'), 'utf8')).toContain(prod.credentialsKeyArn);

    const found = await follow('deleted-stack.md', 'Find what a deleted stack left behind', {
      TABLE: prod.tables.aiLogs,
    });
    expect(found).toContain(prod.credentialsKeyArn);
    for (const name of Object.values(prod.tables)) expect(found).toContain(name);
  });

  test('a new stack uses them: old keys upload, old entries verify, a new log has them all', async () => {
    const { allowlist, apiKeys, weights, aiLogs, reviews } = prod.tables;
    settings = {
      credentialsKeyArn: prod.credentialsKeyArn,
      tlogOrigin: 'logs.example.com/ailog-3',
      adoptTables: `Allowlist=${allowlist},ApiKeys=${apiKeys},Weights=${weights},AiLogs=${aiLogs},Reviews=${reviews}`,
    };
    const page = readFileSync(join(PAGES, 'deleted-stack.md'), 'utf8');
    expect(Object.keys(settings).filter((name) => !page.includes(`"${name}": "`))).toEqual([]);
    const again = await stack.cdk.deploy({ stage: 'prod', ...settings });
    const before = await stack.ailog.exportLogs('42');
    expect(before.length).toBeGreaterThan(1);

    const { tlog, ...kept } = again.tables;
    expect(kept).toEqual({ allowlist, apiKeys, weights, aiLogs, reviews });
    expect([again.tlogBucket, tlog]).not.toEqual([prod.tlogBucket, prod.tables.tlog]);
    const { status, headers } = await send(again.baseUrl, signedUpload(stack.team));
    expect(status).toBe(200);
    prod = again;
    // Without a log, there is nothing to wait for.
    expect(await stack.runSequencer()).toBeUndefined();
    await untilLogged();
    await follow('deleted-stack.md', 'Deploy a stack that uses them', {});
    const after = await stack.ailog.exportLogs('42');
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map((line) => JSON.parse(line).entryId)).toContain(headers.get('AI-LOG-ID'));
    const verdicts = await stack.ailog.verifyLogs('42');
    expect(verdicts.map(({ ok }) => ok)).toEqual(after.map(() => true));
  });
});

test('failed-deployment.md: a protected stack is deleted, and a table that it leaves', async () => {
  const failed = await stack.cdk.deploy({ stage: 'prod-2' });
  const output = await follow(
    'failed-deployment.md',
    'If the first deployment fails',
    { EMPTY_TABLE: failed.tables.tlog },
    { STACK: failed.stackName },
  );
  for (const name of Object.values(failed.tables)) expect(output).toContain(name);
  const { TableNames } = await stack.dynamodb.send(new ListTablesCommand());
  expect(TableNames).not.toContain(failed.tables.tlog);
  expect(TableNames).toContain(failed.tables.aiLogs);
});

test('every section with commands of AWS or the transparency log was run, or has a reason why not', () => {
  const found = blocks.filter(({ commands }) => /\b(aws|ailog tlog|ailog prove) [a-z]/.test(commands));
  const sections = new Set(found.map(({ page, section }) => `${page}: ${section}`));
  expect(sections.size).toBeGreaterThan(5);
  expect([...sections].filter((section) => !ran.has(section) && !(section in notEmulated))).toEqual([]);
});
