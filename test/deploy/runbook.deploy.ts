import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, EnableKeyCommand, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { headersOf } from '../../functions/tlog/paths.ts';
import { signedUpload } from '../setup/upload.ts';
import { type Deployed, emulatedStage } from './cdk.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = join(ROOT, 'docs', 'runbook');

/** The blocks of commands in the runbook. */
const blocks = readdirSync(PAGES).flatMap((page) =>
  readFileSync(join(PAGES, page), 'utf8')
    .split(/^#{2,3} /m)
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
  'alarms.md: The bill is rising': 'it knows no costs',
  'README.md: Give people their permissions': 'its files have words to replace',
  'README.md: Who is a person': 'it has no Identity Center',
  'deploy.md: Deploy for the first time': 'the stack is deployed before the tests, with the settings for the emulator',
  'deploy.md: If a rollback is stuck': 'its tables have no warm throughput, and its rollbacks do not get stuck',
  'alarms.md: If the indexer does not run': 'this stack keeps no feature rows: analytics.deploy.ts has one that does',
  'alarms.md: Empty the failure queue': 'this stack keeps no feature rows, and the other one has no failures',
  'team-keys.md: The KMS key is deleted': 'a deletion takes a week',
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
        timeout: 600_000,
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

test('deploy.md: the events and the state of a stack are read', async () => {
  const output = await follow('deploy.md', 'Repair a deployment that failed', {});
  expect(output.trim()).toMatch(/^\[\]\s+(CREATE|UPDATE)_COMPLETE$/);
});

test('alarms.md: the public log is paused', async () => {
  const folder = { 'distribution.json': 'd.json', 'paused.json': 'p.json' };
  const files = Object.fromEntries(Object.entries(folder).map(([name, file]) => [name, join(stack.folder, file)]));
  await follow('alarms.md', 'Pause the public log', files);
  const { ETag, ...config } = JSON.parse(readFileSync(join(stack.folder, 'd.json'), 'utf8'));
  expect([typeof ETag, config.DistributionConfig.Enabled]).toEqual(['string', true]);
  expect(JSON.parse(readFileSync(join(stack.folder, 'p.json'), 'utf8')).Enabled).toBe(false);
});

test('team-keys.md: a KMS key that is scheduled for deletion is enabled again', async () => {
  const { kms } = stack;
  const key = { KeyId: prod.credentialsKeyArn };
  await kms.send(new ScheduleKeyDeletionCommand(key));

  const output = await follow('team-keys.md', 'The KMS key is disabled or scheduled for deletion', {});

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

/** The settings with which tlog.md starts another log. */
const newLog = { checkpointKeys: '2', tlogOrigin: 'logs.example.com/ailog-2' };

describe('tlog.md', () => {
  const values = () => ({
    TLOG_BUCKET: prod.tlogBucket,
    ORIGIN: prod.tlogOrigin,
    RECEIPT_KEYS_TABLE: prod.tables.receiptKeys,
    'tlog.policy': join(stack.folder, 'tlog.policy'),
    'new.policy': join(stack.folder, 'new.policy'),
  });
  const keys = async () =>
    ((await stack.s3.send(new ListObjectsV2Command({ Bucket: prod.tlogBucket }))).Contents ?? []).map(
      ({ Key }) => Key as string,
    );
  const pathOf = (key: string) => key.slice(prod.tlogOrigin.length + 1);
  const read = async (Key: string) => {
    const { Body } = await stack.s3.send(new GetObjectCommand({ Bucket: prod.tlogBucket, Key }));
    return (await Body?.transformToByteArray()) as Uint8Array;
  };

  beforeAll(async () => {
    if (stack.isHere) expect(await stack.runSequencer()).toBeUndefined();
  });

  test('the receipt key is rotated by a deployment, and the policy with both is exported', async () => {
    settings = { receiptKey: '2' };
    prod = await stack.cdk.deploy({ stage: 'prod', ...settings });
    expect(await stack.runSequencer()).toBeUndefined();
    await follow('tlog.md', 'Rotate the receipt key', values());
    expect(readFileSync(values()['tlog.policy'], 'utf8').match(/^# receipts /gm)).toHaveLength(2);
  });

  test('restore.md: the audit compares the tables with the log', async () => {
    await follow('restore.md', '4. Compare the table AiLogs with the transparency log', {});
  });

  test('the log of the sequencer is read, and the transparency log is audited', async () => {
    const output = await follow('tlog.md', 'The log has stopped', {});
    // The emulator ignores the filter, so its answer is not the line with the condition.
    expect(output).toContain('RequestId');
    expect(output).toContain(prod.tlogOrigin);
  });

  test('a commit under a delete marker is found, and shown again', async () => {
    const key = (await keys()).filter((one) => pathOf(one).startsWith('commits/')).at(-1) as string;
    const { VersionId } = await stack.s3.send(new DeleteObjectCommand({ Bucket: prod.tlogBucket, Key: key }));
    expect(await stack.runSequencer()).toContain('is no more');
    const words = { 'ORIGIN/PATH': key, MARKER_VERSION_ID: VersionId as string };
    const output = await follow('tlog.md', 'See who changed a file', { ...words, ...values() });
    expect(output).toContain(VersionId);
    expect(await keys()).toContain(key);
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test('a checkpoint key that a deployment forgot is found, and given back without a third one', async () => {
    const deploy = async (checkpointKeys: string) => {
      settings = { receiptKey: '2', checkpointKeys };
      prod = await stack.cdk.deploy({ stage: 'prod', ...settings });
      return { arns: prod.checkpointKeyArns, failure: await stack.runSequencer() };
    };
    expect((await deploy('1,2')).failure).toBeUndefined();
    const kept = prod.checkpointKeyArns.split(',')[1] as string;
    // As if `checkpointKeys` were not in cdk.json any more.
    const forgotten = await deploy('3');
    expect([forgotten.arns === kept, forgotten.failure]).toEqual([false, expect.stringContaining('key')]);

    const output = await follow('tlog.md', 'Find the key that signed before', values());
    expect(output).toContain(`\n— ${prod.tlogOrigin} `);
    for (const arn of [kept, forgotten.arns]) expect(output).toMatch(new RegExp(`^\\S{44} ${arn}$`, 'm'));
    expect(await deploy(kept)).toEqual({ arns: kept, failure: undefined });
  });

  test('the old checkpoint key is disabled', async () => {
    const EVIDENCE_FILE = join(stack.folder, 'kept.jsonl');
    const checkpoint = Buffer.from(await read(`${prod.tlogOrigin}/checkpoint`)).toString();
    writeFileSync(EVIDENCE_FILE, `${JSON.stringify({ checkpoint })}\n`);
    const words = { EVIDENCE_FILE, OLD_KEY_ARN: prod.checkpointKeyArns };
    await follow('tlog.md', 'The receipt key has leaked', {});
    await follow('tlog.md', 'The checkpoint key has leaked', { ...words, ...values() });
    const [kms, key] = [stack.kms, { KeyId: prod.checkpointKeyArns }];
    expect((await kms.send(new DescribeKeyCommand(key))).KeyMetadata?.Enabled).toBe(false);
    // The tests after this one go on with it.
    await kms.send(new EnableKeyCommand(key));
  });

  test('the files are put back from a copy, and the log goes on', async () => {
    const copy = join(stack.folder, 'copy');
    const all = await keys();
    for (const key of all) {
      const path = pathOf(key);
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), await read(key));
      await stack.s3.send(new DeleteObjectCommand({ Bucket: prod.tlogBucket, Key: key }));
    }
    expect(await stack.runSequencer()).toContain('is no more');
    const output = await follow('tlog.md', 'Files are gone, and you have a copy', { ...values(), COPY: copy });
    expect(output).toContain(pathOf(all.filter((key) => key.includes('/commits/')).at(-1) as string).slice(8));
    expect(await keys()).toEqual(all);
    for (const key of all) {
      const { ContentType, CacheControl } = await stack.s3.send(
        new HeadObjectCommand({ Bucket: prod.tlogBucket, Key: key }),
      );
      expect({ contentType: ContentType, cacheControl: CacheControl }, key).toEqual(headersOf(pathOf(key)));
    }
    expect(await stack.runSequencer()).toBeUndefined();
  });

  test('a new log has another bucket, and gets all entries', async () => {
    const { size } = parseCheckpoint(
      parseNote(Buffer.from(await read(`${prod.tlogOrigin}/checkpoint`)).toString()).text,
    );
    settings = newLog;
    const lost = prod.tlogBucket;
    await follow('tlog.md', 'Start a new log', {});
    prod = await stack.cdk.deploy({ stage: 'prod', ...settings });
    expect(prod.tlogBucket).not.toBe(lost);
    expect(await stack.runSequencer()).toBeUndefined();
    const signed = Buffer.from(await read(`${prod.tlogOrigin}/checkpoint`)).toString();
    expect(parseCheckpoint(parseNote(signed).text).size).toBeGreaterThanOrEqual(size);
  });
});

describe('deploy.md', () => {
  test('a prod stack cannot be deleted by accident', async () => {
    await expect(stack.cdk.destroy({ stage: 'prod' })).rejects.toThrow(/TerminationProtection/);
    expect((await send(prod.baseUrl, signedUpload(stack.team))).status).toBe(200);
    await untilLogged();
  });

  test('deleting it on purpose keeps its tables and its key, which are found again', async () => {
    await follow('deploy.md', 'Delete the stack', {});
    expect(readFileSync(join(stack.folder, 'outputs.txt'), 'utf8')).toContain(prod.credentialsKeyArn);

    const found = await follow('deploy.md', 'Find what a deleted stack left behind', {
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
    const page = readFileSync(join(PAGES, 'deploy.md'), 'utf8');
    expect(Object.keys(settings).filter((name) => !page.includes(`"${name}": "`))).toEqual([]);
    const again = await stack.cdk.deploy({ stage: 'prod', ...settings });
    const before = await stack.ailog.exportLogs('42');
    expect(before.length).toBeGreaterThan(1);

    const { receiptKeys, ...kept } = again.tables;
    expect(kept).toEqual({ allowlist, apiKeys, weights, aiLogs, reviews });
    expect([again.tlogBucket, receiptKeys]).not.toEqual([prod.tlogBucket, prod.tables.receiptKeys]);
    const { status, headers } = await send(again.baseUrl, signedUpload(stack.team));
    expect(status).toBe(200);
    prod = again;
    // Without a log, there is nothing to wait for.
    expect(await stack.runSequencer()).toBeUndefined();
    await untilLogged();
    await follow('deploy.md', 'Deploy a stack that uses them', {});
    const after = await stack.ailog.exportLogs('42');
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map((line) => JSON.parse(line).entryId)).toContain(headers.get('AI-LOG-ID'));
    const verdicts = await stack.ailog.verifyLogs('42');
    expect(verdicts.map(({ ok }) => ok)).toEqual(after.map(() => true));
  });
});

test('deploy.md: a protected stack is deleted, and a table that it leaves', async () => {
  const failed = await stack.cdk.deploy({ stage: 'prod-2' });
  const output = await follow(
    'deploy.md',
    'If the first deployment fails',
    { EMPTY_TABLE: failed.tables.receiptKeys },
    { STACK: failed.stackName },
  );
  for (const name of Object.values(failed.tables)) expect(output).toContain(name);
  const { TableNames } = await stack.dynamodb.send(new ListTablesCommand());
  expect(TableNames).not.toContain(failed.tables.receiptKeys);
  expect(TableNames).toContain(failed.tables.aiLogs);
});

test('every section with commands of AWS or the transparency log was run, or has a reason why not', () => {
  const found = blocks.filter(({ commands }) => /\b(aws|ailog tlog|ailog statement) [a-z]/.test(commands));
  const sections = new Set(found.map(({ page, section }) => `${page}: ${section}`));
  expect(sections.size).toBeGreaterThan(5);
  expect([...sections].filter((section) => !ran.has(section) && !(section in notEmulated))).toEqual([]);
});
