import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  execute,
  type Fault,
  folderOf,
  LOG,
  MAIN,
  NOW,
  notes,
  says,
  skipPauses,
  type Team,
  UNREACHABLE,
  world,
} from '../../../setup/world.ts';

const work = await world().served();
let team: Team;
beforeEach(async () => {
  work.way.plan();
  team = await work.team();
});

/** The warning about a log without an order. */
const NO_ORDER = 'Warning: .* names no order\\. A log that led to an order must name it: .*\\.\n';

/** Returns the stored bodies of a team. */
const storedOf = async (team: Team) =>
  (await work.entriesOf(team.uid)).map(({ body }) => zstdDecompressSync(body).toString());

describe('a log is stored byte for byte', () => {
  // biome-ignore format: one case a line
  test.each([
    ['from a file', ['log.json'], LOG],
    ['from the standard input', ['-'], LOG],
    ['with an inserted order id', ['log.json', '--order', '590480926522704171'], LOG.replace('{', '{"orderId":590480926522704171,')],
  ])('%s', async (_name, args, stored) => {
    const cwd = folderOf({ 'log.json': LOG });
    const ran = await work.run(team, ['upload', ...args], { cwd, input: LOG });
    const [entry] = await work.entriesOf(team.uid);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^status +stored\nentryId +${entry?.entryId}\nbodySha256 +${entry?.bodySha256}\nreceipt +${args[0] === '-' ? '[\\w+/]{400,}=*' : 'in ailog-results\\.jsonl'}\n$`,
        ),
      ),
      stderr: expect.stringMatching(
        new RegExp(`^${args.includes('--order') ? '' : NO_ORDER}Remaining quota: "uid";r=\\d+;t=\\d+, "ip";r=\\d+;t=\\d+\n$`),
      ),
    });
    expect(await storedOf(team)).toEqual([stored]);
  });

  test('and a probable mistake is named', async () => {
    const warning = 'orderId is empty: the log names no order';
    const cwd = folderOf({ '1.json': LOG.replace('{', '{"orderId":"",'), '2.json': LOG.replace('{', '{"orderId":5,') });
    const one = await work.run(team, ['upload', '1.json', '--results', 'one.jsonl', '--json'], { cwd });
    expect(one.stderr).toContain(`Warning: 1.json: ${warning}.\n`);
    expect(one.stderr).not.toContain('names no order. A log');
    expect(JSON.parse(one.stdout)).toMatchObject({ status: 'stored', warning });

    const folder = await work.run(team, ['upload', '--dir', '.', '--json'], { cwd });
    expect(folder.stderr.match(/Warning: .*/g)).toEqual([`Warning: 1.json: ${warning}.`]);
    expect(JSON.parse(folder.stdout)).toMatchObject([{ file: '1.json', warning }, { file: '2.json' }]);
    expect(folder.exitCode).toBe(0);
  });

  test('and order ids that look rounded are counted over a folder', async () => {
    const ids = [700000000000000100, 702628302073888771n, 700000000000000100n, 2 ** 60, '702628302073888800', ''];
    const logs = ids.map((id, i) => [
      `${i}.json`,
      LOG.replace('{', `{"orderId":${typeof id === 'string' ? `"${id}"` : id},`),
    ]);
    const cwd = folderOf(Object.fromEntries(logs));
    const says =
      "4 of 5 order ids look rounded, such as 700000000000000100 in 0.json: too many for chance. JSON.parse loses the last digits: take order ids from the text of the exchange's answer";
    const checked = await work.run(team, ['doctor', '.', '--json'], { cwd });
    expect(JSON.parse(checked.stdout).slice(-3)).toEqual([
      {
        check: 'log',
        status: 'warning',
        says: '5.json would be accepted, but orderId is empty: the log names no order',
      },
      { check: 'logs', status: 'ok', says: '6 of 6 logs would be accepted' },
      { check: 'logs', status: 'warning', says },
    ]);
    expect(checked).toMatchObject({ exitCode: 0, stderr: 'Warnings: log, logs.\n' });
    const { stdout, stderr } = await work.run(team, ['upload', '--dir', '.', '--json'], { cwd });
    expect(stderr.match(/Warning: .*/g)).toEqual([
      'Warning: 5.json: orderId is empty: the log names no order.',
      `Warning: ${says}.`,
    ]);
    expect(JSON.parse(stdout).filter(({ warning }: { warning?: string }) => warning?.includes('rounded'))).toHaveLength(
      4,
    );
  });
});

// biome-ignore format: one case a line
test.each([
  ['a missing field', LOG.replace('"stage"', '"stages"'), [], '40019: Parameter stage cannot be empty (the key "stages" is unknown: did you mean "stage"?).'],
  ['NaN', LOG.replace('{}', 'NaN'), [], /^bad\.json would be rejected, 40017: Body is not valid JSON: .*NaN/],
  ['too large', `${LOG}${' '.repeat(1024 * 1024)}`, [], /413: Body too large: limit 1048576 bytes/],
  ['an invalid order id', LOG.replace('{', '{"orderId":1.5,'), ['--order', '7'], /40020: Parameter orderId is invalid/],
])('an invalid log is not sent: %s', async (_name, log, args, says) => {
  const ran = await work.run(team, ['upload', 'bad.json', ...args], { cwd: folderOf({ 'bad.json': log }) });
  const sentence = typeof says === 'string' ? `bad.json would be rejected, ${says}\n` : expect.stringMatching(says);
  expect(ran).toEqual({ exitCode: 1, stdout: '', stderr: sentence });
  expect(work.way.seen()).toEqual([]);
});

// biome-ignore format: one case a line
test.each([
  ['a team that is not approved', { status: 'suspended' }, {}, /^log\.json was rejected: HTTP 403, 40022: UID \d+ is suspended on the AI log allowlist, the organisers can say why\.\nailog doctor finds the reason\.\n$/],
  ['a wrong secret', {}, { AILOG_SECRET: 'wrong' }, /^log\.json was rejected: HTTP 401, 40009: Signature verification failed\. Usual causes: .* "node ailog.mjs doctor" finds the cause\.\n$/],
  ['an unknown key', {}, { AILOG_ACCESS_KEY: 'ailog_other' }, /HTTP 401, 40006: Invalid ACCESS-KEY: "ailog_othe…" \(11 characters\) is unknown here, revoked or expired\.\n/],
])('an upload that the service rejects: exit code 3, and the reason: %s', async (_name, teamState, env, says) => {
  const team = await work.team(teamState);
  const ran = await work.run(team, ['upload', 'log.json'], { cwd: folderOf({ 'log.json': LOG }), env });
  expect(ran).toEqual({ exitCode: 3, stdout: '', stderr: expect.stringMatching(says) });
  expect(work.way.seen()).toHaveLength(1);
  expect(await storedOf(team)).toEqual([]);
});

// biome-ignore format: one case a line
test.each<[name: string, args: string[], env: Record<string, string>, says: string | RegExp]>([
  ['neither file nor folder', [], {}, 'Give either a file or --dir.\nailog upload --help shows the usage.\n'],
  ['an order for a folder', ['--dir', '.', '--order', '7'], {}, /^--order needs a file, not --dir\./],
  ['--again for the standard input', ['-', '--again'], {}, /^--results and --again need a file or --dir\./],
  ['--watch for a file', ['log.json', '--watch'], {}, /^--watch needs --dir\./],
  ['no such folder', ['--dir', 'none'], {}, /^There is no folder \/.*none\.\n$/],
  ['a folder without logs', ['--dir', 'empty'], {}, 'There are no .json files in empty.\n'],
  ['a URL with the path', ['log.json', '--url', 'https://api.example.com/v1/capi/v2/order/uploadAiLog'], {}, 'The base URL must not contain /capi/v2/order/uploadAiLog.\nGive https://api.example.com/v1\n'],
  ['a timeout of 0', ['log.json', '--timeout', '0'], {}, /^--timeout must be longer than 0\./],
  ['a secret among the arguments', ['log.json', '--secret', 'x'], {}, /^Unknown option '--secret'/],
])('a usage error: exit code 2, advice, and nothing is sent: %s', async (_name, args, env, says) => {
  const cwd = folderOf({ 'log.json': LOG });
  mkdirSync(join(cwd, 'empty'));
  const ran = await work.run(await work.team(), ['upload', ...args], { cwd, env });
  expect(ran).toEqual({ exitCode: 2, stdout: '', stderr: typeof says === 'string' ? says : expect.stringMatching(says) });
  expect(work.way.seen()).toEqual([]);
});

const later = (status: number, code: string, msg: string) => ({
  status,
  headers: { 'Retry-After': '0', 'Content-Type': 'application/json' },
  body: JSON.stringify({ code, msg, requestTime: NOW, data: null }),
});
const busy = later(503, '40015', 'System busy, retry');
const html: Fault = { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad gateway</h1>' };

// biome-ignore format: one case a line
test.each<[name: string, faults: Fault[], says: string]>([
  ['the answer is lost', ['lose the answer'], 'the connection broke'],
  ['the request is lost', ['break before'], 'the connection broke'],
  ['no answer in time', ['hang'], 'no answer within 2 s; sending the same request again in 1 s.\n'],
  ['503 although the log is stored', [{ afterwards: busy }], 'HTTP 503'],
  ['429 with Retry-After, then 200', [later(429, '429', 'Too many requests, retry')], 'HTTP 429, 429: Too many requests, retry; sending the same request again in 0 s.\n'],
  ['an error page of a proxy, then 200', [html], 'HTTP 502, which is not an answer of the upload service (text/html); '],
  ['several failures', [busy, html, busy], 'in 0 s.\nlog.json: HTTP 502, which is not an answer of the upload service (text/html); sending the same request again in 2 s.\n'],
])('after a failure the identical request is sent again, and the log is stored once: %s', async (_name, faults, says) => {
  skipPauses();
  work.way.plan(...faults);
  const cwd = folderOf({ 'log.json': LOG });
  const timeout = faults.includes('hang') ? ['--timeout', '2s'] : [];
  const running = work.run(team, ['upload', 'log.json', '--json', ...timeout], { cwd });
  if (faults.includes('hang')) {
    await expect.poll(work.way.seen).toHaveLength(1);
    vi.advanceTimersByTime(2000);
  }
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining(says) });

  const requests = work.way.seen();
  expect(requests).toHaveLength(faults.length + 1);
  expect(JSON.parse(stdout)).toMatchObject({ attempts: faults.length + 1 });
  for (const request of requests) expect(request).toEqual(requests[0]);
  const [entry, ...others] = await work.entriesOf(team.uid);
  expect(others).toEqual([]);
  expect(JSON.parse(stdout).entryId).toBe(entry?.entryId);
});

test('429 for longer than the patience: exit code 3, and nothing is stored', async () => {
  work.way.plan({ ...later(429, '429', 'Too many requests, retry'), headers: { 'Retry-After': '3600' } });
  const ran = await work.run(team, ['upload', '-'], { input: LOG });
  const says = 'The standard input was rejected: HTTP 429, 429: Too many requests, retry.\n';
  expect(ran).toEqual({ exitCode: 3, stdout: '', stderr: says });
  expect(await storedOf(team)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a result file that cannot be written: exit code 2, and nothing is sent',
  async () => {
    const args = ['upload', 'log.json', '--results', '/sys/ailog-results.jsonl'];
    const ran = await work.run(await work.team(), args, { cwd: folderOf({ 'log.json': LOG }) });
    expect(ran).toEqual({
      stdout: '',
      ...notes(
        2,
        /^The result file \/sys\/ailog-results\.jsonl cannot be written: (EACCES|EROFS|EPERM)\.\nUse another one: --results FILE\.\n$/,
      ),
    });
    expect(work.way.seen()).toEqual([]);
  },
);

test.each([
  ['the log itself', 'log.json', /^Line 1 of \S+ is not a result of an upload: its file is missing\./],
  ['a link to the log', 'link.jsonl', /^\S+link\.jsonl is a link\.\n/],
])('%s as the result file is refused and stays, and nothing is sent', async (_name, results, says) => {
  const log = JSON.stringify(JSON.parse(LOG));
  const cwd = folderOf({ 'log.json': log });
  symlinkSync(join(cwd, 'log.json'), join(cwd, 'link.jsonl'));
  const ran = await work.run(await work.team(), ['upload', 'log.json', '--results', results], { cwd });
  expect(ran).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(says) });
  expect(readFileSync(join(cwd, 'log.json'), 'utf8')).toBe(log);
  expect(work.way.seen()).toEqual([]);
});

test.runIf(process.platform === 'linux')('a disk that is full before the log is sent: no lock stays', async () => {
  const cwd = folderOf({ 'log.json': LOG });
  // A limit on the size of files takes the place of a full disk.
  const full = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, MAIN, 'upload', 'log.json'];
  const ran = await execute(full, { cwd, env: work.environmentOf(team) });
  expect(ran).toEqual({ stdout: '', ...notes(2, /ailog-results\.jsonl\S* cannot be (used|written): .*\(EFBIG\)\.\n/) });
  expect(readdirSync(cwd).filter((name) => name.includes('lock'))).toEqual([]);
  expect(work.way.seen()).toEqual([]);
});

test('upload of a folder, and with a result file in none, names the folder', async () => {
  const cwd = folderOf();
  mkdirSync(join(cwd, 'logs'));
  const ran = await work.run(await work.team(), ['upload', 'logs'], { cwd });
  expect([ran.exitCode, ran.stderr]).toEqual([2, 'logs is a folder, not a file.\nUpload its logs with --dir logs.\n']);
  const nowhere = ['upload', 'log.json', '--results', 'none/results'];
  expect(await work.run(await work.team(), nowhere, { cwd: folderOf({ 'log.json': LOG }) })).toEqual(
    says(2, expect.stringMatching(/^There is no folder \S+\/none\.\n$/)),
  );
});

test.each(['upload', 'sign'])('Ctrl-C while %s waits for the standard input: exit code 130', async (command) => {
  const interrupt = new AbortController();
  const running = work.run(await work.team(), [command, '-'], { signal: interrupt.signal });
  interrupt.abort();
  expect(await running).toEqual(says(130, 'Interrupted.\n'));
});

test('a file that is far too large is not read', async () => {
  const cwd = folderOf({ 'log.json': '' });
  truncateSync(join(cwd, 'log.json'), 3 * 2 ** 30);
  const said = 'log.json would be rejected, 413: Body too large: limit 1048576 bytes, received 3221225472 bytes.\n';
  expect(await work.run(team, ['upload', 'log.json'], { cwd })).toEqual(says(1, said));
});

test.runIf(process.platform !== 'win32')(
  'a device and a standard input without an end are not read either',
  async () => {
    const device = await work.run(team, ['upload', '/dev/zero']);
    expect(device).toMatchObject(notes(2, '/dev/zero is a pipe or a device, not a file.\n'));
    const endless = ['sh', '-c', 'yes | "$0" "$@"', process.execPath, MAIN, 'upload', '-'];
    expect(await execute(endless, { env: work.environmentOf(team) })).toEqual(
      says(1, 'The standard input would be rejected, 413: Body too large: limit 1048576 bytes.\n'),
    );
    expect(work.way.seen()).toEqual([]);
  },
);

test('Ctrl-C before the log can be stored: exit code 130, and it is not stored', async () => {
  work.way.plan({ status: 429, headers: { 'Retry-After': '20' }, body: '{"code":"429","msg":"so"}' });
  const running = work.start(team, ['upload', '-'], LOG);
  await expect.poll(running.output).toContain('sending the same request again in 20 s.\n');
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject(notes(130, /Interrupted: the standard input is not stored\.\n$/));
  expect(await storedOf(team)).toEqual([]);
});

test('a lost answer, then a rejection: the outcome is unknown, and the error names the entry', async () => {
  skipPauses();
  work.way.plan('lose the answer', { status: 401, body: '{"code":"40008","msg":"Request timestamp expired"}' });
  const { exitCode, stdout, stderr } = await work.run(team, ['upload', '-'], { input: LOG });
  const [entry] = await work.entriesOf(team.uid);
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toMatch(/The standard input may or may not be stored after 2 attempts: HTTP 401, 40008/);
  expect(stderr).toContain(`its entry is ${entry?.entryId}. Ask the organisers`);
});

test.each([
  ['a port that is not in use', new URL(UNREACHABLE).host, 'ECONNREFUSED'],
  ['a port that fetch blocks', '127.0.0.1:6000', 'bad port'],
])('%s: exit code 4 at once, and nothing is sent', async (_name, host, reason) => {
  const ran = await work.run(await work.team(), ['upload', '-', '--url', `http://${host}`], { input: LOG });
  expect(ran).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: `The standard input was not sent: no connection to ${host} (${reason}).\nCheck the URL and the network.\n`,
  });
});

test('Ctrl-C while waiting for the answer: exit code 130, and the entry is named', async () => {
  work.way.plan('hang');
  const running = work.start(team, ['upload', '-'], LOG);
  await expect.poll(() => work.way.seen().length).toBe(1);
  await expect.poll(() => work.entriesOf(team.uid)).toHaveLength(1);
  running.kill('SIGINT');
  const [entry] = await work.entriesOf(team.uid);
  expect(await running.ended).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: `Interrupted: the standard input may or may not be stored.\nIf it is stored, its entry is ${entry?.entryId}.\n`,
  });
});
