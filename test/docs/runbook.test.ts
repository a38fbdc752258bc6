import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { formatProofFile } from '../../cli/proof/evidence/proofFile.ts';
import { FATAL_CONDITIONS } from '../../functions/sequencer/fatalError.ts';
import { queries } from '../../infra/monitoring/queries.ts';
import { settings } from '../../infra/settings.ts';
import { policyFile, synth } from '../infra/synth.ts';
import { openLocalData, runCommand } from '../setup/commandLine.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

const FOLDER = fileURLToPath(new URL('../../docs/runbook/', import.meta.url));
const pages = readdirSync(FOLDER);
const read = (page: string) => readFileSync(FOLDER + page, 'utf8');
/** A deployment with every alarm. */
const prod = synth({ stage: 'prod', analytics: 'true', witnesses: policyFile });

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^ *```bash\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
const sectionOf = (page: string, heading: string): string => {
  const [, text] = new RegExp(`^## ${heading}\\n(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(read(page)) ?? [];
  if (text === undefined) throw new Error(`${page} has no section ${heading}.`);
  return text;
};

/** The rows of a page's table, as lists of cells. */
const rows = (page: string): string[][] =>
  [...read(page).matchAll(/^ *\| (.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));

test('the index lists every page', () => {
  const listed = rows('README.md').map(([link = '']) => /\]\((.*)\)/.exec(link)?.[1]);
  expect([...listed, 'README.md'].sort()).toEqual([...pages].sort());
});

test('alarms.md says of every alarm where to look', () => {
  const alarms = Object.entries(prod.resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id]) => id.replace(/^MonitoringAlarms|[0-9A-F]{8}$/g, ''));
  expect(rows('alarms.md').map(([name]) => name)).toEqual(alarms);
});

test('stopped-tlog.md says of every condition that stops the log what it means and what to do', () => {
  const conditions = rows('stopped-tlog.md').map(([condition]) => condition);
  expect(conditions.sort()).toEqual(FATAL_CONDITIONS.map((condition) => `\`${condition}\``).sort());
});

const all = pages.map(read).join('\n');

test('queries, outputs and settings that are named exist', () => {
  const named = [...all.replace(/\s+/g, ' ').matchAll(/(?<!-)quer(?:y|ies) "([^"]+)"(?: and "([^"]+)")?/g)].flatMap(
    ([, one, other]) => (other ? [one, other] : [one]),
  );
  expect(named.filter((name) => !((name as string) in queries))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
  const outputs = [...all.matchAll(/OutputKey=='(\w+)'/g)].map(([, key]) => key as string);
  expect(outputs.filter((key) => !(key in prod.outputs))).toEqual([]);
  const given = [...all.matchAll(/(?:-c |"|[Ss]et `)([a-z]\w+)(?:=|": |` to)/g)].map(([, name]) => name as string);
  const stages = ['prod', 'prod-2', 'rehearsal', 'stages'];
  expect(given.filter((name) => !(name in settings) && !stages.includes(name))).toEqual([]);
  expect(given.length).toBeGreaterThan(20);
});

test('every command of ailog that is named takes the options that it is given', async () => {
  const uses = all.matchAll(
    /npx ailog ((?:allowlist|keys|logs|ops|upload|doctor|tlog|prove|statement|verify)(?: [a-z][a-z-]*)?)([^\n`|)]*)/g,
  );
  const wrong: string[] = [];
  for (const [, command = '', rest = ''] of uses) {
    const { stdout } = await runCommand([...command.split(' '), '--help']);
    if (!stdout.includes(`Usage: ailog ${command}`)) wrong.push(command);
    const known = new Set(stdout.match(/--[a-z-]+/g));
    wrong.push(
      ...(rest.match(/--[a-z-]+/g) ?? []).filter((flag) => !known.has(flag)).map((flag) => `${command} ${flag}`),
    );
  }
  expect(wrong).toEqual([]);
});

test('no page lists the resources of a stack: AWS returns 100 of them, and prod has more', () => {
  expect(Object.keys(prod.resources).length).toBeGreaterThan(100);
  expect(pages.filter((page) => read(page).includes('describe-stack-resources'))).toEqual([]);
});

test('the name of the stack is given once, on top of each page that uses it', () => {
  for (const page of pages) {
    const text = read(page);
    const [first = ''] = blocksOf(text);
    const uses = text.replaceAll(/export STACK=\S+/g, '').match(/.?\bSTACK\b/g) ?? [];
    expect([page, uses.filter((use) => use !== '$STACK')]).toEqual([page, []]);
    if (uses.length > 0) expect([page, first]).toEqual([page, 'export STACK=AiLogUpload-prod\n']);
    const names = text.replace(first, '').match(/--stack(-name)? (?!"\$STACK")\S+/g) ?? [];
    expect([page, names]).toEqual([page, []]);
  }
});

test('a query on log lines has a start, and runs on the whole answer instead of each page', () => {
  const searches = pages.flatMap((page) => blocksOf(read(page))).filter((block) => block.includes('filter-log-events'));
  expect(searches).not.toEqual([]);
  for (const search of searches) {
    const command = search.slice(search.indexOf('aws logs filter-log-events'));
    expect(command).toMatch(/--start-time "\$\(\(\$\(date \+%s\) - \d+\)\)000"/);
    expect(command).toMatch(/--output json/);
    expect(command).not.toMatch(/--output text/);
  }
});

test('deploy.md reads the account before the first deployment, and says first what cannot be changed later', () => {
  const first = sectionOf('deploy.md', 'Deploy for the first time');
  expect(first.indexOf('ops check --before prod')).toBeGreaterThan(0);
  expect(first.indexOf('ops check --before prod')).toBeLessThan(first.indexOf('npm run deploy'));
  const [heading] = read('deploy.md').match(/^## .*$/m) ?? [];
  expect(heading).toBe('## What cannot be changed later');
  for (const name of ['tlogOrigin', 'tlogLockDays', 'witnesses', 'region', 'stage name'])
    expect(sectionOf('deploy.md', 'What cannot be changed later')).toMatch(new RegExp(`^\\| \`?${name}`, 'm'));
});

test('failed-deployment.md lifts the protection, deletes the stack, then the tables, which alone are left', () => {
  const commands = blocksOf(sectionOf('failed-deployment.md', 'If the first deployment fails')).join('');
  const steps = [
    ...commands.matchAll(/aws \w+ (update-termination-protection|delete-stack|update-table|delete-table)/g),
  ];
  expect(steps.map(([, step]) => step)).toEqual([
    'update-termination-protection',
    'delete-stack',
    'update-table',
    'delete-table',
  ]);
  const left = Object.values(prod.resources).filter(
    ({ Type, DeletionPolicy }) => DeletionPolicy === 'Retain' && !/^AWS::(ApiGateway::Account|IAM::Role)$/.test(Type),
  );
  expect(new Set(left.map(({ Type }) => Type))).toEqual(new Set(['AWS::DynamoDB::GlobalTable']));
  expect(sectionOf('failed-deployment.md', 'If a rollback is stuck')).toMatch(
    /continue-update-rollback .*--resources-to-skip /,
  );
});

test('warm throughput is deployed alone', () => {
  expect(sectionOf('before-the-competition.md', 'Warm the tables')).toMatch(
    /"warmThroughput": \d+` and `"canary": false/,
  );
  expect(sectionOf('before-the-competition.md', 'Warm the tables')).toContain(
    'failed-deployment.md#if-a-rollback-is-stuck',
  );
});

test('the rehearsal turns on what only prod has, and deploys twice, so that there is a canary', () => {
  const text = sectionOf('before-the-competition.md', 'Rehearse');
  const deployments = text.match(/npm run deploy .*/g) ?? [];
  expect(deployments).toHaveLength(2);
  const block = JSON.parse(`{${/"rehearsal": .*/.exec(text)?.[0]}}`).rehearsal;
  const onlyInProd = Object.entries(settings).flatMap(([name, setting]) =>
    'inProd' in setting && name !== 'logRetentionDays' ? [name] : [],
  );
  expect(onlyInProd).toEqual(['waf', 'trafficAlarms', 'canary', 'tlogLockDays', 'tlogPublic']);
  expect(Object.keys(block)).toEqual(onlyInProd);
  expect(deployments[1]).not.toBe(deployments[0]);
});

test('before-the-competition.md names the regions with small quotas of the gateway', async () => {
  const named = read('before-the-competition.md').match(/\b[a-z]{2}-[a-z]+-\d\b/g) ?? [];
  expect(new Set(named).size).toBe(13);
  for (const region of named) {
    const demand = ['--teams', '500', '--per-minute', '1', '--peak', '7'];
    const { stdout } = await runCommand(['ops', 'capacity', ...demand, '--region', region]);
    expect(stdout).toMatch(/^gateway: the account, requests\/s +58.3 +2,500 /m);
  }
});

test('alarms.md names other alarms by their names', () => {
  const named = new Set(read('alarms.md').match(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+(?=[ ,.:]| \|)/g));
  const alarms = [...read('alarms.md').matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name);
  const known = new Set([...alarms, ...Object.keys(prod.outputs)]);
  const others = ['CloudWatch', 'CodeDeploy', 'DynamoDB', 'AllowlistThrottles'];
  expect([...named].filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});

test('a lost key or bucket is replaced by settings, without a change of the source', () => {
  for (const page of ['lost-key.md', 'tlog-keys.md', 'lost-tlog.md', 'deleted-stack.md'])
    expect(read(page)).not.toMatch(/\.ts\b/);
  expect(read('lost-key.md')).toContain('`credentialsKeyArn` to its ARN');
  expect(read('tlog-keys.md')).toContain('`receiptSealingKeyArn` to its ARN');
  expect(read('lost-tlog.md')).toMatch(/"tlogBucket": 2, "checkpointKeys": 2, "tlogOrigin":/);
});

test('a pause by competition.md stops those that were approved, and its end approves them and no others', async () => {
  const local = await openLocalData();
  const statuses = { 1001: 'approved', 1002: 'disqualified', 1003: 'suspended', 1004: 'approved' } as const;
  for (const [uid, status] of Object.entries(statuses)) await local.fixture.allowlist.put({ uid, status });
  const list = async () => JSON.parse((await local.ailog(['allowlist', 'list', '--json'])).stdout);
  const [pause = '', end = ''] = blocksOf(sectionOf('competition.md', 'Pause'));
  const [, feed, suspend] =
    /(.*) > approved.json\n(.*)\n/.exec(pause.replaceAll(/npx ailog | --stack "\$STACK"/g, '')) ?? [];
  const { stdout } = await local.ailog((feed as string).split(' '));
  const uids = JSON.parse(stdout).map(({ uid }: { uid: string }) => uid);
  expect(uids).toEqual(['1001', '1004']);
  const run = (line = '') =>
    local.ailog([
      ...line
        .replace(/ \$\(jq -r '\.\[\]\.uid' approved\.json\)/, '')
        .replace(/"pause.*"/, 'pause')
        .split(' '),
      ...uids,
    ]);
  expect(await run(suspend)).toMatchObject({ exitCode: 0 });
  expect(new Set((await list()).map(({ status }: { status: string }) => status))).toEqual(
    new Set(['suspended', 'disqualified']),
  );
  expect(await run(end.trim().replaceAll(/npx ailog | --stack "\$STACK"/g, ''))).toMatchObject({ exitCode: 0 });
  const after = (await list()).map(({ uid, status }: Record<string, string>) => [uid, status]);
  expect(Object.fromEntries(after)).toEqual(statuses);
  await local.engine.stop();
});

test('team-keys.md expects what doctor prints', () => {
  const [, note = ''] = /`(No problem found\.)/.exec(readFileSync('cli/commands/team/doctor.ts', 'utf8')) ?? [];
  expect(note).not.toBe('');
  expect(read('team-keys.md')).toContain(`\`${note}\``);
});

test('tlog-keys.md looks up every call with which a key can have leaked, and who lifted its policy', () => {
  const calls = [...read('tlog-keys.md').matchAll(/AttributeKey=EventName,AttributeValue=(\w+)/g)].map(
    ([, call]) => call,
  );
  expect(calls).toEqual(['Decrypt', 'Sign', 'PutKeyPolicy']);
});

test('tlog-keys.md takes the checkpoint out of a proof', async () => {
  const checkpoint = 'logs.example.com/ailog\n3\nAAAA\n\n\u2014 logs.example.com/ailog AAAA\n';
  const folder = temporaryFolder();
  const proof = formatProofFile({ index: 1, proof: [Buffer.alloc(32)], checkpoint, extra: Buffer.from('a\n\nb') });
  writeFileSync(join(folder, 'PROOF_FILE'), proof);
  const [command = ''] = /sed .* > CHECKPOINT_FILE/.exec(read('tlog-keys.md')) ?? [];
  await promisify(execFile)('bash', ['-c', command], { cwd: folder });
  expect(readFileSync(join(folder, 'CHECKPOINT_FILE'), 'utf8')).toBe(checkpoint);
});

test('the log of a second region gets a name of its own, and no page gives prod a setting that is not in cdk.json', () => {
  expect(read('region-loss.md')).toMatch(/"prod-2": \{.*"tlogOrigin": "\S+-2"/);
  const deployments = all.match(/(deploy --|cdk \w+) -c stage=prod.*/g) ?? [];
  expect(deployments.length).toBeGreaterThan(5);
  expect(deployments.filter((one) => / -c \w+=.* -c /.test(one) || one.includes('…'))).toEqual([]);
});
