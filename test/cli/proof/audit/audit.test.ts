import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openAuditData } from '../../../../cli/proof/audit/auditData.ts';
import { auditFiles } from '../../../../cli/proof/audit/auditFiles.ts';
import { collectFindings } from '../../../../cli/proof/audit/findings.ts';
import { folderFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  noDeadline,
  openServedLog,
  runCommand,
  type Team,
  temporaryFolder,
} from '../../../setup/world.ts';
import { type Audited, openAudited } from './audited.ts';

let log: Audited;
let team: Team;
beforeAll(async () => {
  log = await openAudited();
  team = await log.team();
});

/** Writes the receipts of entries as evidence, and returns the option that gives it to the audit. */
const known = (...ids: readonly string[]) => [
  '--known',
  log.file('receipts', `${ids.map(log.receiptOf).join('\n')}\n`),
];

test('a receipt: not in the log yet, in the log, late, and without an entry', async () => {
  const first = await log.upload({}, team);
  await log.sequence(10_000);
  expect(await log.audit(known(first))).toMatchObject({ exitCode: 5, pending: 1, findings: [] });
  await log.sequence();
  expect(await log.audit(known(first))).toMatchObject({ exitCode: 0, known: 1, findings: [] });

  // The log stands still for an hour.
  const late = await log.upload({}, team);
  await log.sequence(HOUR_MS);
  expect(await log.audit(known(first, late))).toMatchObject({
    exitCode: 6,
    findings: [{ kind: 'late', uid: team.uid, index: 1, problem: expect.stringContaining('50 min 0 s late') }],
  });

  const dropped = await log.upload({}, team);
  const row = (await log.rows()).sort((one, other) => one.receivedAt - other.receivedAt).at(-1);
  if (row) await log.remove(row);
  await log.sequence(20 * MINUTE_MS);
  const { exitCode, findings } = await log.audit(known(dropped));
  expect([exitCode, findings.map(({ kind }) => kind).sort()]).toEqual([6, ['late', 'promised']]);
  expect(findings.find(({ kind }) => kind === 'promised')).toMatchObject({ uid: team.uid, entryId: row?.entryId });
  const { stdout } = await log.ailog(['tlog', 'audit', ...known(dropped)]);
  expect(stdout).toContain('promised: 1. A receipt promised the entry, and the log does not have it.');
});

test.each([
  ['a receipt that was changed', 'e30=\n', 'Line 1 of'],
  ['nothing that is evidence', '\n', 'has no receipt, no entry and no checkpoint'],
])('%s is refused', async (_name, text, message) => {
  const { exitCode, stderr } = await log.ailog(['tlog', 'audit', '--known', log.file('wrong', text)]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('entries that have expired are not removed ones; those that cannot have expired are', async () => {
  const begins = Date.now() - 48 * HOUR_MS;
  const expiring = await openAudited({ begins, retentionDays: 1 });
  await expiring.upload();
  await expiring.sequence();
  for (const row of await expiring.rows()) await expiring.remove(row);
  expect(await expiring.audit()).toMatchObject({ exitCode: 0, expired: 1, findings: [] });
  await expiring.close();

  const kept = await openAudited({ retentionDays: 1 });
  await kept.upload();
  await kept.sequence();
  expect(await kept.audit()).toMatchObject({ exitCode: 0, findings: [] });
  for (const row of await kept.rows()) await kept.remove(row);
  expect(await kept.audit()).toMatchObject({ exitCode: 1, expired: 0, findings: [{ kind: 'removed', index: 0 }] });
  await kept.close();
});

test('a copy is audited from its files and the policy alone; it may lack tiles of earlier trees', async () => {
  const running = await openServedLog();
  for (const size of [3, 0, 300, 7]) await running.grow(size);
  const cwd = temporaryFolder();
  cpSync(running.logFolder, join(cwd, 'copy'), { recursive: true });
  const audit = async (...args: string[]) => {
    const ran = await runCommand(['tlog', 'audit', '--log', 'copy', ...args, '--json'], { cwd });
    return { ...ran, ...(ran.stdout && JSON.parse(ran.stdout)) };
  };
  expect(await audit()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--log needs --policy') });
  cpSync(join(cwd, 'copy/checkpoint'), join(cwd, 'kept'));
  writeFileSync(join(cwd, 'tlog.policy'), running.policyText);
  const policy = ['--policy', 'tlog.policy'];
  const signed = readFileSync(join(cwd, 'kept'), 'utf8');
  writeFileSync(join(cwd, 'line'), `${JSON.stringify({ checkpoint: signed })}\n`);
  for (const kept of ['kept', 'line'])
    expect(await audit(...policy, '--known', kept)).toMatchObject({ exitCode: 0, size: 310, findings: [] });
  rmSync(join(cwd, 'copy/tile/0/000.p'), { recursive: true });
  rmSync(join(cwd, 'copy/tile/entries/000.p'), { recursive: true });
  expect(await audit(...policy)).toMatchObject({ exitCode: 0, findings: [] });
  rmSync(join(cwd, 'copy/tile/0/001.p'), { recursive: true });
  expect(await audit(...policy)).toMatchObject({ exitCode: 1, findings: [{ kind: 'tree', path: 'tile/0/001.p/54' }] });
  // What a commit had is read from the bundles, and its checkpoint says that it is right.
  for (const name of readdirSync(join(cwd, 'copy/commits')).slice(1, 3)) rmSync(join(cwd, 'copy/commits', name));
  const { findings, size } = await audit(...policy);
  expect([size, findings.map(({ path }: { path: string }) => path).sort()]).toEqual([
    310,
    ['commits/0000000002', 'commits/0000000003', 'tile/0/001.p/54'],
  ]);
  expect(await audit(...policy, '--local')).toMatchObject({ exitCode: 2 });
});

test.each([
  [59_999, []],
  [60_000, [expect.stringContaining('commits/0000000004, which is not published yet.')]],
])('a run has a minute to publish its commit: %i ms after it was stored', async (age, said) => {
  const running = await openServedLog(Date.now());
  for (const size of [3, 4, 5, 6]) await running.grow(size);
  running.write('checkpoint', running.read('checkpoints/0000000003'));
  rmSync(join(running.logFolder, 'checkpoints/0000000004'));
  const stored = 1_763_112_660_000;
  running.write('commits/0000000004', running.read('commits/0000000004'), stored);
  const data = await openAuditData();
  const wrong: string[] = [];
  const files = folderFiles(running.logFolder);
  const { unchecked } = await auditFiles({
    ...{ files, policy: running.policy, kept: [], isOwn: true, data, origin: undefined, now: stored + age },
    ...{ terminal: { progress: () => ({ advance() {}, stop() {} }), signal: noDeadline() } as never, report() {} },
    wrong: (path, what) => wrong.push(`${path} ${what}`),
  });
  data.engine.close();
  expect([unchecked, wrong]).toEqual([said, []]);
});

test('a log whose entries are lost is not checked from there on', async () => {
  const running = await openServedLog();
  for (const size of [3, 4, 5]) await running.grow(size);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'tlog.policy'), running.policyText);
  cpSync(running.logFolder, join(cwd, 'copy'), { recursive: true });
  rmSync(join(cwd, 'copy/commits/0000000002'));
  rmSync(join(cwd, 'copy/tile/entries'), { recursive: true });
  const ran = await runCommand(['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy', '--json'], { cwd });
  const { unchecked, findings } = JSON.parse(ran.stdout);
  expect([ran.exitCode, unchecked]).toEqual([1, [expect.stringContaining('The log from commits/0000000002 on')]]);
  expect(findings.map(({ path }: { path: string }) => path)).toContain('checkpoints/0000000002');
});

test('a hundred thousand findings are kept, and all are counted', () => {
  const { counts, listed, report } = collectFindings();
  for (let n = 0; n <= 100_000; n += 1) report({ kind: 'edited', problem: String(n) });
  expect([counts.edited, listed.length]).toEqual([100_001, 100_000]);
});
