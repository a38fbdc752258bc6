import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fault, MAIN, notes, runCommand, serveLog, shows, start, temporaryFolder } from '../../setup/world.ts';
import { HEADER, headerWith, VECTORS, vectors } from '../../vectors/evidence/vectors.ts';

const verify = (...args: string[]) => runCommand(['verify', ...args], { cwd: VECTORS });
const folderWith = (files: Readonly<Record<string, string>>) => {
  const cwd = temporaryFolder();
  cpSync(join(VECTORS, 'tlog.policy'), join(cwd, 'tlog.policy'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
};

test.each(vectors)('$name: exit code $exitCode', async ({ name, words, exitCode, policy, log }) => {
  const place = log === undefined ? [] : ['--log', log];
  const ran = await verify(name, '--policy', policy, ...place, '--json');
  expect([ran.exitCode, JSON.parse(ran.stdout).map(({ word }: { word: string }) => word)]).toEqual([exitCode, words]);
});

test('several files have one exit code, and one sum', async () => {
  expect(await verify('statement.jsonl', 'not-in-the-log.jsonl', '--log', 'log')).toMatchObject(
    notes(6, /^ok: 5, MISSING: 1\. Trusted: the keys in .*tlog\.policy\.\nMake sure that this policy is the one of/),
  );
  expect(await verify('body-changed.jsonl', 'not-in-the-log.jsonl', '--log', 'log')).toMatchObject({ exitCode: 1 });
});

test('entries that hold are summed up, and --verbose shows each', async () => {
  const { stdout } = await verify('statement.jsonl');
  expect(stdout).toMatch(/^ok {6}3 entries; --verbose shows each\n/);
  expect(stdout).toMatch(/^models +"GPT-5-mini" 2, "<Ａ> & \\u202e\\" 9" 1$/m);
  expect((await verify('statement.jsonl', '--verbose')).stdout.match(/^ok {6}statement\.jsonl$/gm)).toHaveLength(5);
});

test('--body says that a receipt is about these bytes', async () => {
  expect(await verify('receipt.header', '--body', 'decision.json')).toMatchObject(
    shows(0, /proven +its body is the one that was given, byte for byte/),
  );
  expect(await verify('receipt.header', '--body', 'risk.json')).toMatchObject(
    shows(1, /WRONG +The body is another one: its SHA-256 is /),
  );
  expect(await verify('receipt.header')).toMatchObject(shows(0, /not proven +which body it has: give the file/));
});

test('a file that evidence names elsewhere is not read', async () => {
  const line = { state: 'stored', url: 'u', receipt: HEADER };
  for (const file of ['../decision.json', '/etc/hostname', '..\\decision.json', '.', 'nothing']) {
    const cwd = folderWith({ 'results.jsonl': `${JSON.stringify({ ...line, file })}\n` });
    const ran = await runCommand(['verify', 'results.jsonl'], { cwd });
    expect(ran).toMatchObject(shows(0, /not proven +which body it has/));
  }
});

// biome-ignore format: one case a line
test.each<[string, string[], RegExp]>([
  ['a folder', ['log'], /log is a folder, not a file\./],
  ['a policy that is none', ['receipt.header', '--policy', 'decision.json'], /decision\.json is not a trust policy: Line 1/],
  ['a body of several files', ['receipt.header', 'statement.jsonl', '--body', 'decision.json'], /^--body needs one file\./],
])('%s cannot be used: exit code 2', async (_name, args, says) => {
  expect(await verify(...args)).toMatchObject(notes(2, says));
});

test('without a policy, it says where to get one', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'receipt.txt'), HEADER);
  expect(await runCommand(['verify', 'receipt.txt'], { cwd })).toMatchObject(notes(2, /^There is no trust policy\./));
});

test('hidden characters in evidence are shown', async () => {
  const cwd = folderWith({ 'r.txt': await headerWith({ uid: '1\u202e2' }) });
  const { stdout } = await runCommand(['verify', 'r.txt'], { cwd });
  expect(stdout).toMatch(/uid +1\\u202e2\n/);
});

const way = await serveLog(join(VECTORS, 'log'));

describe('a public log', () => {
  const look = (fault: Fault, file = 'receipt.header') => {
    way.decide(() => fault);
    return verify(file, '--log', `${way.url}/tlog/`);
  };

  test('is asked as a copy of it is', async () => {
    const asked = (file: string) => look('pass', file);
    expect(await asked('receipt.header')).toMatchObject(
      shows(0, /it came by 2025-11-14T09:31:30Z, the organisers' storage says/),
    );
    expect(await asked('in-the-log-after-the-deadline.jsonl')).toMatchObject(
      shows(6, /LATE +It came into the log 2 min 49 s after the promised time/),
    );
    expect(await asked('not-in-the-log.jsonl')).toMatchObject(
      shows(6, /MISSING +The log does not have it, the organisers' storage says/),
    );
  });

  // biome-ignore format: one case a line
  test.each<[string, Fault]>([
    ['HTML', { status: 200, body: '<!doctype html><title>Sign in</title>' }],
    ['nothing', { status: 200 }],
    ['half a checkpoint', { change: (whole) => whole.subarray(0, 60) }],
    ['a redirect', { status: 302, headers: { location: '/' } }],
    ['an error', { status: 503 }],
    ['a cut answer', 'a reset within the response'],
  ])('that answers with %s says nothing: exit code 4', async (_name, fault) => {
    const { exitCode, stdout, stderr } = await look(fault);
    expect([exitCode, stdout, stderr]).toEqual([4, '', expect.stringContaining('does not answer as a transparency log')]);
  });

  test('of another key is not trusted: exit code 1', async () => {
    expect(await verify('receipt.header', '--log', 'log', '--policy', 'stranger.policy')).toMatchObject(
      notes(1, /cannot be trusted/),
    );
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the verification of receipts', async (signal) => {
  const cwd = folderWith({ many: `${HEADER}\n`.repeat(20_000) });
  const running = start([process.execPath, MAIN, 'verify', 'many', '--verbose'], { cwd });
  await expect.poll(running.output).toContain('line        1');
  running.kill(signal);
  expect(await running.ended).toMatchObject({ exitCode: 130, stderr: 'Interrupted.\n' });
});
