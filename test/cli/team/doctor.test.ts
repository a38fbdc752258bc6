import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../cli/target/engine.ts';
import type { Fault } from '../../setup/faults.ts';
import { folderOf, LOG, openTeamFixture, startService, type TeamFixture } from './teamFixture.ts';

let work: TeamFixture;
beforeAll(async () => {
  work = await openTeamFixture();
});
afterAll(() => work.close());
beforeEach(() => work.way.plan());

type Verdicts = Record<string, string>;
const allOk = { connection: 'ok', clock: 'ok', key: 'ok', signature: 'ok', passphrase: 'ok', allowlist: 'ok' };
const quota = { quota: 'not known' };

const findingsOf = (stdout: string): { check: string; status: string; says: string }[] => JSON.parse(stdout);
const verdictsOf = (stdout: string): Verdicts =>
  Object.fromEntries(findingsOf(stdout).map(({ check, status }) => [check, status]));

test('no problem: prints all checks, stores nothing and consumes no weight', async () => {
  const team = await work.fixture.team();
  const host = new URL(work.way.url).host;
  expect(await work.run(team, ['doctor'])).toEqual({
    exitCode: 0,
    stdout: `check       status     says
connection  ok         ${host} answers
clock       ok         within a second of the server
key         ok         accepted
signature   ok         accepted
passphrase  ok         accepted
allowlist   ok         accepted
quota       not known  only a complete upload consumes weight; ailog upload prints the remaining quota
`,
    stderr: 'No problem found.\n',
  });
  expect(await work.fixture.entriesOf(team.uid)).toEqual([]);
  expect(await work.fixture.weightOf(`uid#${team.uid}`)).toBe(0);
});

/** A problem of a team, the verdicts that differ from `allOk`, and words of the finding. */
interface Case {
  readonly name: string;
  readonly team?: Parameters<TeamFixture['fixture']['team']>[0];
  readonly env?: Record<string, string>;
  readonly verdicts: Verdicts;
  readonly says: RegExp;
}

const unknownAfter = (...checks: string[]) => Object.fromEntries(checks.map((check) => [check, 'not known']));

// biome-ignore format: one case a line
const cases: Case[] = [
  { name: 'an unknown key', env: { AILOG_ACCESS_KEY: 'ailog_other' }, verdicts: { key: 'wrong', ...unknownAfter('signature', 'passphrase', 'allowlist') }, says: /40006: Invalid ACCESS-KEY\. The access key does not exist, was revoked or has expired/ },
  { name: 'a revoked key', team: { key: { status: 'revoked' } }, verdicts: { key: 'wrong', ...unknownAfter('signature', 'passphrase', 'allowlist') }, says: /40006/ },
  { name: 'a wrong secret: shows the signed text', env: { AILOG_SECRET: 'wrong' }, verdicts: { signature: 'wrong', ...unknownAfter('passphrase', 'allowlist') }, says: /40009: Signature verification failed\. The secret does not belong to this access key\. Signed text: \d{13}POST\/capi\/v2\/order\/uploadAiLog\{\}, with a secret of 5 characters$/ },
  { name: 'a secret with a space', env: { AILOG_SECRET: 'wrong ' }, verdicts: { signature: 'wrong', ...unknownAfter('passphrase', 'allowlist') }, says: /AILOG_SECRET starts or ends with a space or a quotation mark/ },
  { name: 'a wrong passphrase', env: { AILOG_PASSPHRASE: 'wrong' }, verdicts: { passphrase: 'wrong', ...unknownAfter('allowlist') }, says: /40012: Incorrect ACCESS-PASSPHRASE\. .* each key has its own/ },
  { name: 'a team that is suspended', team: { status: 'suspended' }, verdicts: { allowlist: 'wrong' }, says: /40022: UID \d+ is not on the AI log allowlist\. .*Ask the organisers/ },
];

describe('names the problem, exit code 1', () => {
  test.each(cases)('$name', async ({ team, env = {}, verdicts, says }) => {
    const { exitCode, stdout, stderr } = await work.run(await work.fixture.team(team), ['doctor', '--json'], { env });
    expect(verdictsOf(stdout)).toEqual({ ...allOk, ...verdicts, ...quota });
    const wrong = findingsOf(stdout).filter(({ status }) => status === 'wrong');
    expect(wrong.map((finding) => finding.says)).toEqual([expect.stringMatching(says)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `Problems: ${wrong[0]?.check}.\n` });
  });
});

describe('the clock', () => {
  test.each([
    [
      -3_600_000,
      'wrong',
      /^(1 h|1 h \d+ s|59 min \d+ s) ahead of the server; more than 30 s is rejected\. Set the clock\.$/,
    ],
    [
      600_000,
      'wrong',
      /^(10 min|10 min \d+ s|9 min \d+ s) behind the server; more than 30 s is rejected\. Set the clock\.$/,
    ],
    [15_000, 'ok', /^1\d s behind the server; more than 30 s is rejected$/],
  ] as const)('%d ms off: %s, and the other checks are still made', async (skew, verdict, says) => {
    const service = await startService(work.fixture, skew);
    const { exitCode, stdout } = await work.run(await work.fixture.team(), ['doctor', '--json', '--url', service.url]);
    service.close();
    expect(verdictsOf(stdout)).toEqual({ ...allOk, clock: verdict, ...quota });
    expect(findingsOf(stdout).find(({ check }) => check === 'clock')?.says).toMatch(says);
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
    const { exitCode, stdout } = await work.run(await work.fixture.team(), ['doctor', '--json', '--timeout', '1s']);
    expect(verdictsOf(stdout)).toMatchObject(fault === 'hang' ? verdicts : { ...verdicts, ...(verdicts.clock && { clock: expect.any(String) }) });
    expect(findingsOf(stdout).find(({ status }) => status === 'wrong')?.says).toMatch(says);
    expect(exitCode).toBe(exit);
  });

  test('no connection', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { exitCode, stderr } = await work.run(await work.fixture.team(), ['doctor', '--url', url]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: 'The service could not be reached.\nCheck the URL and the network.\n',
    });
  });
});

test('a missing variable is named', async () => {
  const { exitCode, stderr } = await work.run(await work.fixture.team(), ['doctor'], { env: { AILOG_PASSPHRASE: '' } });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/^AILOG_PASSPHRASE is missing in the environment\./),
  });
});

test.each([
  ['a valid log', LOG, 0, 'log.json would be accepted'],
  ['an invalid log', '{}', 1, /^log\.json: 40019: Parameter stage cannot be empty/],
])('%s is checked too, and not sent', async (_name, log, exit, says) => {
  const team = await work.fixture.team();
  const { exitCode, stdout } = await work.run(team, ['doctor', 'log.json', '--json'], {
    cwd: folderOf({ 'log.json': log }),
  });
  expect(findingsOf(stdout).at(-1)).toMatchObject({ check: 'log', says: expect.stringMatching(says) });
  expect(exitCode).toBe(exit);
  expect(await work.fixture.entriesOf(team.uid)).toEqual([]);
});
