import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Fault, folderOf, LOG, notes, startService, type TeamWorld, world } from '../../../setup/world.ts';

const work = await world().served();
beforeEach(() => work.way.plan());

type Verdicts = Record<string, string>;
const allOk = { connection: 'ok', clock: 'ok', key: 'ok', signature: 'ok', passphrase: 'ok', allowlist: 'ok' };
const quota = { quota: 'not known' };

const findingsOf = (stdout: string): { check: string; status: string; says: string }[] => JSON.parse(stdout);
const findingOf = (stdout: string, name: string) => findingsOf(stdout).find(({ check }) => check === name);
const verdictsOf = (stdout: string): Verdicts =>
  Object.fromEntries(findingsOf(stdout).map(({ check, status }) => [check, status]));

test('no problem: stores nothing and consumes no weight', async () => {
  const team = await work.team();
  expect(await work.run(team, ['doctor'])).toMatchObject(notes(0, /^No problem found\. /));
  expect(await work.entriesOf(team.uid)).toEqual([]);
  expect(await work.weightOf(`uid#${team.uid}`)).toBe(0);
});

/** A problem of a team, the verdicts that differ from `allOk`, and words of the finding. */
interface Case {
  readonly name: string;
  readonly team?: Parameters<TeamWorld['team']>[0];
  readonly env?: Record<string, string>;
  readonly verdicts: Verdicts;
  readonly says: RegExp;
}

const unknownAfter = (...checks: string[]) => Object.fromEntries(checks.map((check) => [check, 'not known']));

// biome-ignore format: one case a line
const cases: Case[] = [
  { name: 'an unknown key', env: { AILOG_ACCESS_KEY: 'ailog_other' }, verdicts: { key: 'wrong', ...unknownAfter('signature', 'passphrase', 'allowlist') }, says: /40006: Invalid ACCESS-KEY: "ailog_othe…" \(11 characters\) is unknown here, revoked or expired\. Compare it with the key that you were given/ },
  { name: 'a revoked key', team: { key: { status: 'revoked' } }, verdicts: { key: 'wrong', ...unknownAfter('signature', 'passphrase', 'allowlist') }, says: /40006/ },
  { name: 'a wrong secret: shows the signed text', env: { AILOG_SECRET: 'wrong' }, verdicts: { signature: 'wrong', ...unknownAfter('passphrase', 'allowlist') }, says: /40009: Signature verification failed\. The secret does not belong to this access key, or newer credentials replaced it, which the service does not say\. Use the last ones that you were given\. Signed text: \d{13}POST\/capi\/v2\/order\/uploadAiLog\{\}, with a secret of 5 characters$/ },
  { name: 'a secret with a space', env: { AILOG_SECRET: 'wrong ' }, verdicts: { signature: 'wrong', ...unknownAfter('passphrase', 'allowlist') }, says: /AILOG_SECRET starts or ends with a space or a quotation mark/ },
  { name: 'a wrong passphrase', env: { AILOG_PASSPHRASE: 'wrong' }, verdicts: { passphrase: 'wrong', ...unknownAfter('allowlist') }, says: /40012: Incorrect ACCESS-PASSPHRASE\. The passphrase does not belong to this access key, or newer credentials replaced it/ },
  { name: 'a team that is suspended', team: { status: 'suspended' }, verdicts: { allowlist: 'wrong' }, says: /40022: UID \d+ is suspended on the AI log allowlist, the organisers can say why\. .*Ask the organisers/ },
];

test.each(cases)('names the problem, exit code 1: $name', async ({ team, env = {}, verdicts, says }) => {
  const { exitCode, stdout, stderr } = await work.run(await work.team(team), ['doctor', '--json'], { env });
  expect(verdictsOf(stdout)).toEqual({ ...allOk, ...verdicts, ...quota });
  const wrong = findingsOf(stdout).filter(({ status }) => status === 'wrong');
  expect(wrong.map((finding) => finding.says)).toEqual([expect.stringMatching(says)]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `Problems: ${wrong[0]?.check}.\n` });
});

describe('a secret that is wrong in a way that can be named', () => {
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  // biome-ignore format: one case a line
  test.each<[name: string, given: (team: { secret: string; passphrase: string }) => Record<string, string>, says: string]>([
    ['spaces around it', ({ secret }) => ({ AILOG_SECRET: ` ${secret}\n` }), 'The secret is right without the spaces and quotation marks around it: remove them from AILOG_SECRET'],
    ['quotation marks around it', ({ secret }) => ({ AILOG_SECRET: `"${secret}"` }), 'The secret is right without the spaces and quotation marks around it: remove them from AILOG_SECRET'],
    ['swapped with the passphrase', ({ secret, passphrase }) => ({ AILOG_SECRET: passphrase, AILOG_PASSPHRASE: secret }), 'The value of AILOG_PASSPHRASE is right as the secret: the two are swapped'],
    ['still in hex', ({ secret }) => ({ AILOG_SECRET: hex(secret) }), 'The secret is right when it is decoded from hex: set AILOG_SECRET to the decoded text'],
    ['still in base64', ({ secret }) => ({ AILOG_SECRET: base64(secret) }), 'The secret is right when it is decoded from base64: set AILOG_SECRET to the decoded text'],
  ])('%s', async (_name, given, says) => {
    const team = await work.team();
    const { exitCode, stdout } = await work.run(team, ['doctor', '--json'], { env: given(team) });
    expect(findingOf(stdout, 'signature')).toMatchObject({ status: 'wrong', says: `HTTP 401, 40009: Signature verification failed. ${says}` });
    expect(exitCode).toBe(1);
    expect(await work.entriesOf(team.uid)).toEqual([]);
  });

  test('also if the clock is off', async () => {
    const service = await startService(work, 600_000);
    const team = await work.team();
    const env = { AILOG_SECRET: `"${team.secret}"` };
    const { stdout } = await work.run(team, ['doctor', '--json', '--url', `${service.url}/`], { env });
    expect(findingOf(stdout, 'signature')?.says).toMatch(/The secret is right without/);
    expect(verdictsOf(stdout)).toMatchObject({ 'base URL': 'warning', clock: 'wrong' });
  });
});

describe('a base URL that ends in a slash', () => {
  const joined = 'ends in a slash: a client that joins the two sends //capi/v2/order/uploadAiLog; ';

  test('is named, also if the service ignores the second slash', async () => {
    const { exitCode, stdout, stderr } = await work.run(await work.team(), ['doctor', '--json'], {
      env: { AILOG_URL: `${work.way.url}/` },
    });
    expect(verdictsOf(stdout)).toEqual({ ...allOk, 'base URL': 'warning', ...quota });
    const says = `${joined}this service ignores the second slash. Give it without the slash`;
    expect(findingOf(stdout, 'base URL')?.says).toBe(says);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Warnings: base URL.\n' });
  });

  test('is a problem if the service rejects it', async () => {
    const body = `{"code":"404","msg":"Unknown path","requestTime":${Date.now()}}`;
    work.way.plan('pass', { status: 404, body });
    const { exitCode, stdout, stderr } = await work.run(await work.team(), ['doctor', '--json'], {
      env: { AILOG_URL: `${work.way.url}//` },
    });
    const says = `${joined}the service rejects that: HTTP 404, 404: Unknown path. Give it without the slash`;
    expect(findingOf(stdout, 'base URL')).toEqual({ check: 'base URL', status: 'wrong', says });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'Problems: base URL.\n' });
  });
});

describe('the clock', () => {
  const rejected = 'the server; more than 30 s is rejected';
  test.each([
    [-3_600_000, 'wrong', `^(1 h|1 h \\d+ s|59 min \\d+ s) ahead of ${rejected}\\. Set the clock\\.$`],
    [600_000, 'wrong', `^(10 min|10 min \\d+ s|9 min \\d+ s) behind ${rejected}\\. Set the clock\\.$`],
    [15_000, 'ok', `^1\\d s behind ${rejected}$`],
  ])('%d ms off: %s, and the other checks are still made', async (skew, verdict, says) => {
    const service = await startService(work, skew);
    const { exitCode, stdout } = await work.run(await work.team(), ['doctor', '--json', '--url', service.url]);
    expect(verdictsOf(stdout)).toEqual({ ...allOk, clock: verdict, ...quota });
    expect(findingOf(stdout, 'clock')?.says).toMatch(new RegExp(says));
    expect(exitCode).toBe(verdict === 'ok' ? 0 : 1);
  });
});

describe('an answer that is not from the service, or an error', () => {
  // biome-ignore format: one case a line
  test.each<[name: string, fault: Fault, verdicts: Verdicts, exit: number, says: RegExp]>([
    ['a page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>' }, { service: 'wrong' }, 1, /HTTP 200, which is not an answer of the upload service \(text\/html\)/],
    ['busy', { status: 503, body: `{"code":"40015","msg":"System busy, retry","requestTime":${Date.now()}}` }, { connection: 'ok', clock: 'ok', service: 'wrong', ...quota }, 1, /HTTP 503, 40015: System busy, retry/],
    ['no answer', 'hang', { connection: 'wrong' }, 4, /no answer within 1 s/],
  ])('%s', async (_name, fault, verdicts, exit, says) => {
    work.way.plan(fault);
    const timeout = fault === 'hang' ? ['--timeout', '1s'] : [];
    const { exitCode, stdout } = await work.run(await work.team(), ['doctor', '--json', ...timeout]);
    expect(verdictsOf(stdout)).toMatchObject(fault === 'hang' ? verdicts : { ...verdicts, ...(verdicts.clock && { clock: expect.any(String) }) });
    expect(findingsOf(stdout).find(({ status }) => status === 'wrong')?.says).toMatch(says);
    expect(exitCode).toBe(exit);
  });
});

test('a log that is far too large, or a device, is named beside the other checks', async () => {
  const cwd = folderOf({ 'log.json': '' });
  truncateSync(join(cwd, 'log.json'), 3 * 2 ** 30);
  for (const [given, says] of [
    ['log.json', 'log.json: 413: Body too large: limit 1048576 bytes, received 3221225472 bytes'],
    ['/dev/null', 'null: /dev/null is a pipe or a device, not a file'],
  ] as const) {
    const { exitCode, stdout } = await work.run(await work.team(), ['doctor', given, '--json'], { cwd });
    expect([exitCode, verdictsOf(stdout)]).toEqual([1, { ...allOk, ...quota, log: 'wrong' }]);
    expect(findingOf(stdout, 'log')?.says).toBe(says);
  }
});

test('a folder of logs is checked too, and not sent: each log that would be rejected is named', async () => {
  const cwd = folderOf({ '1.json': LOG, '2.json': '{}', '3.json': '{', 'a.txt': '' });
  const team = await work.team();
  const { exitCode, stdout, stderr } = await work.run(team, ['doctor', '.', '--json'], { cwd });
  expect(await work.entriesOf(team.uid)).toEqual([]);
  expect(findingsOf(stdout).slice(-3)).toEqual([
    { check: 'log', status: 'wrong', says: expect.stringMatching(/^2\.json: 40019: /) },
    { check: 'log', status: 'wrong', says: expect.stringMatching(/^3\.json: 40017: /) },
    { check: 'logs', status: 'ok', says: '1 of 3 logs would be accepted' },
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'Problems: log.\n' });
  const empty = await work.run(await work.team(), ['doctor', '.'], { cwd: folderOf({ 'a.txt': '' }) });
  expect(empty).toMatchObject(notes(2, 'There are no .json files in ..\n'));
});
