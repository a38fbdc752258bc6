import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { commands } from '../../cli/main.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { openLocalData, runCommand } from '../setup/commandLine.ts';
import { execute, type Ran } from '../setup/execute.ts';
import { overHttp, type Transport } from '../setup/transports.ts';
import { aiLog, jsonOf } from '../setup/upload.ts';
import { makeEvidence } from './tlog/evidenceFixture.ts';
import { sequenceLocal } from './tlog/loggedData.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** The options without which a command rejects any other. */
const REQUIRED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'allowlist disqualify': ['--reason', 'r'],
  'ops restore': ['--from', 'a', '--to', 'b'],
  prove: ['-o', 'a'],
  statement: ['--uid', '1', '-o', 'a'],
};

/** A command or a group in the list of `ailog`. */
type Listed = Pick<(typeof commands.commands)[number], 'name'> & { readonly commands?: readonly Listed[] };

/** Lists the words of every command that is not a group. */
const leavesOf = ({ commands }: Listed, before: readonly string[] = []): string[][] =>
  commands === undefined ? [[...before]] : commands.flatMap((child) => leavesOf(child, [...before, child.name]));
const leaves = leavesOf(commands);

describe.each(leaves.map((words) => words.join(' ')))('ailog %s', (name) => {
  const words = name.split(' ');

  test('prints help with examples of the command', async () => {
    const { exitCode, stdout, stderr } = await runCommand([...words, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ailog ${name} .*\n\n[A-Z]`));
    expect(stdout).toMatch(new RegExp(`\nExamples:\n(  ailog ${name}\\b.* # .+\n)+`));
    expect(stdout).toMatch(/ --json /);
  });

  test('shows spans of time with a unit', async () => {
    const { stdout } = await runCommand([...words, '--help']);
    expect(stdout).not.toMatch(/default: \d{4,}/);
  });

  test('has the same help under ailog help', async () => {
    expect(await runCommand(['help', ...words])).toEqual(await runCommand([...words, '--help']));
  });

  test('rejects an unknown option', async () => {
    const required = REQUIRED_OPTIONS[name] ?? [];
    expect(await runCommand([...words, '--nonsense', ...required])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Unknown option '--nonsense'.*\n--help shows the usage\.\n$/s),
    });
  });

  test('has no option for credentials', async () => {
    const { stdout } = await runCommand([...words, '--help']);
    expect(stdout).not.toMatch(/--(secret|passphrase|password)/);
  });
});

// biome-ignore format: one case a line
test.each([
  ['no argument', [], 2, /^Usage: ailog \[options\] \[command\]\n/],
  ['a group without a command', ['logs'], 2, /^Usage: ailog logs /],
  ['a command that does not exist', ['lgos'], 2, /^Unknown command 'lgos'\n\(Did you mean logs\?\)\n--help/],
  ['a missing argument', ['keys', 'show'], 2, /^Missing required argument 'key'\n--help/],
  ['too many arguments', ['keys', 'show', 'a', 'b'], 2, /^Too many arguments.*\n--help/],
])('%s is a usage error', async (_name, args, exitCode, stderr) => {
  expect(await runCommand(args)).toEqual({ exitCode, stdout: '', stderr: expect.stringMatching(stderr) });
});

test.each([['--version'], ['-V']])('%s prints the version of the package', async (option) => {
  expect(await runCommand([option])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

// biome-ignore format: one case a line
test.each([
  ['help', [], /^Usage: ailog \[options\] \[command\]\n/],
  ['help of a group', ['logs'], /^Usage: ailog logs \[options\] \[command\]\n/],
  ['help of a command in a group', ['logs', 'list'], /^Usage: ailog logs list /],
])('%s', async (_name, words, stdout) => {
  expect(await runCommand(['help', ...words])).toEqual({ exitCode: 0, stdout: expect.stringMatching(stdout), stderr: '' });
});

test('help of a command that does not exist is a usage error', async () => {
  expect(await runCommand(['help', 'logs', 'lst'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^Unknown command 'lst'\n\(Did you mean list\?\)/),
  });
});

describe('completion', () => {
  // biome-ignore format: one case a line
  test.each([
    ['commands and groups', ['l'], ['logs']],
    ['commands of a group', ['keys', 'r'], ['rotate', 'revoke']],
    ['commands after help', ['help', 'keys', 'i'], ['issue', 'import']],
    ['options of a command', ['upload', 'log.json', '--t'], ['--timeout']],
    ['nothing for an argument: the shell offers files', ['upload', 'lo'], []],
    ['nothing for a command that does not exist', ['lgos', 'x'], []],
  ])('offers %s', async (_name, words, offered) => {
    const { exitCode, stdout } = await runCommand(['completion', 'bash', '--', ...words]);
    expect([exitCode, stdout.split('\n').slice(0, -1)]).toEqual([0, offered]);
  });

  test('every option and command of ailog is offered', async () => {
    const { stdout } = await runCommand(['completion', 'fish', '--', 'logs', 'list', '--']);
    expect(stdout).toContain('--order\n');
    expect((await runCommand(['completion', 'fish', '--', ''])).stdout).toContain('upload\n');
  });

  test('works in bash', async () => {
    const { stdout: script } = await runCommand(['completion', 'bash']);
    const type = `${script}\nailog() { "${process.execPath}" "${MAIN}" "$@"; }\nCOMP_WORDS=(ailog keys ro); COMP_CWORD=2; _ailog; echo "\${COMPREPLY[@]}"`;
    expect(await execute(['bash', '-c', type])).toEqual({ exitCode: 0, stdout: 'rotate\n', stderr: '' });
  });

  test('rejects another shell', async () => {
    expect(await runCommand(['completion', 'tcsh'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

test('only --debug prints a stack trace', async () => {
  const args = [process.execPath, MAIN, 'report', '--orders', '/nowhere/orders.csv'];
  const plain = await execute(args, { cwd: tmpdir() });
  expect(plain).toEqual({ exitCode: 2, stdout: '', stderr: 'There is no file /nowhere/orders.csv.\n' });
  const { stderr } = await execute([...args, '--debug'], { cwd: tmpdir() });
  expect(stderr).toMatch(/^There is no file \/nowhere\/orders\.csv\.\nError: ENOENT.*\n {4}at /);
});

test('the package installs ailog as a program', async () => {
  const program = fileURLToPath(new URL(`../../${packageJson.bin.ailog}`, import.meta.url));
  const { exitCode, stdout } = await execute([program, '--help'], {
    env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}` },
  });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Usage: ailog')]);
});

describe('on a terminal', () => {
  const ESC = '\u001b[';
  test.each([
    ['it uses colour', {}, true],
    ['it uses no colour with NO_COLOR', { NO_COLOR: '1' }, false],
    ['it uses no colour if TERM is dumb', { TERM: 'dumb' }, false],
  ])('%s', async (_name, env, colour) => {
    const { stderr } = await runCommand(['allowlist', 'list', '--local'], { env, types: [] });
    expect(stderr).toContain('There is no local data');
    expect(stderr.includes(ESC)).toBe(colour);
  });

  test('without a terminal it uses neither colour nor progress', async () => {
    const { stderr } = await runCommand(['allowlist', 'list', '--local']);
    expect(stderr).not.toContain(ESC);
  });
});

describe('secrets', () => {
  let local: Awaited<ReturnType<typeof openLocalData>>;
  let transport: Transport;
  beforeAll(async () => {
    local = await openLocalData();
    transport = await overHttp(local.fixture);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await transport.close();
    await local.engine.stop();
  });

  test('appear only in the output of the command that issues them', async () => {
    const [, url = ''] = /listening on (\S+)/i.exec(transport.output()) ?? [];
    const team = await local.fixture.team();
    const env = {
      AILOG_URL: url,
      AILOG_ACCESS_KEY: team.accessKey,
      AILOG_SECRET: team.secret,
      AILOG_PASSPHRASE: team.passphrase,
    };
    const log = local.file('log.json', jsonOf(aiLog));
    const csv = local.file('teams.csv', 'uid\n1001\n');
    const existing = ['bg_key', 'an-existing-secret', 'an-existing-passphrase'];
    const [key, secret, passphrase] = existing;
    const file = local.file(
      'k.env',
      `AILOG_ACCESS_KEY=${key}\nAILOG_SECRET=${secret}\nAILOG_PASSPHRASE=${passphrase}\n`,
    );

    const outputs: { words: string; ran: Ran }[] = [];
    const run = async (...args: string[]) => {
      for (const variant of [args, [...args, '--json'], [...args, '--debug']]) {
        const words = leaves.find((leaf) => leaf.every((word, index) => variant[index] === word))?.join(' ');
        outputs.push({ words: words ?? '', ran: await local.ailog(variant, { env }) });
      }
      return outputs.at(-3)?.ran as Ran;
    };

    await run('allowlist', 'add', '1001');
    await run('allowlist', 'suspend', '1001');
    await run('allowlist', 'disqualify', '1001', '--reason', 'r', '--yes');
    await run('allowlist', 'import', csv, '--yes');
    await run('allowlist', 'remove', '1001', '--yes', '--lift-disqualification');
    await run('allowlist', 'list');
    await run('allowlist', 'show', '1001');
    await run('keys', 'issue', '1001', '--unlisted');
    await run('keys', 'import', '1001', '--file', file, '--unlisted');
    await run('keys', 'rotate', key as string, '--yes');
    await run('sign', log);
    await run('doctor');
    await run('doctor', log);
    const { stdout } = await run('upload', log);
    const [entryId = ''] = /\d{13}-[0-9a-f]{32}/.exec(stdout) ?? [];
    const evidence = await makeEvidence();
    const policy = local.file('log.policy', evidence.files['log.policy']);
    await run('verify', local.file('log.note', evidence.files['mine.receipt']), '--policy', policy);
    await run('keys', 'list');
    await run('keys', 'show', key as string);
    await run('logs', 'list');
    await run('logs', 'show', entryId);
    await run('logs', 'search', 'ETH');
    await run('logs', 'around', entryId);
    await run('logs', 'diff', entryId, entryId);
    await run('logs', 'verify');
    await run('logs', 'export');
    await sequenceLocal(local);
    await run('report');
    await run('tlog', 'audit');
    await run('tlog', 'status');
    await run('tlog', 'export-policy');
    await run('prove', entryId, '-o', 'a');
    await run('statement', '--uid', team.uid, '-o', 'b');
    await run('tlog', 'rotate-receipt-key', '--yes');
    await run('keys', 'revoke', key as string, '--yes');
    await run('completion', 'bash');

    await run('ops', 'check');
    // It uses the endpoint of AWS that the environment names.
    for (const [name, value] of Object.entries(local.fixture.environment)) vi.stubEnv(name, value);
    const { apiKeys } = local.fixture.names;
    await run('ops', 'restore', '--from', apiKeys, '--to', apiKeys);
    // It synthesizes the stack, which takes seconds. It has no target, so it cannot read a secret.
    expect((await local.ailog(['ops', 'cost', '--help'])).stdout).not.toMatch(/--(local|stack)\b/);

    const unexpected = outputs
      .filter(({ ran }) => ran.exitCode !== 0)
      .map(({ words, ran }) => `${words}: ${ran.stderr}`);
    expect(
      unexpected.filter(
        (text) =>
          !/^(keys import: Key bg_key already exists|tlog rotate-receipt-key: A rotation is under way|allowlist (suspend|disqualify|remove): Not on|(prove|statement): The files? .* already exist)/.test(
            text,
          ),
      ),
    ).toEqual([]);
    expect(new Set(outputs.map(({ words }) => words))).toEqual(
      new Set(leaves.map((words) => words.join(' ')).filter((words) => words !== 'ops cost')),
    );

    const issued = outputs
      .filter(({ words }) => words === 'keys issue' || words === 'keys rotate')
      .flatMap(({ ran }) =>
        [...ran.stdout.matchAll(/(?:secret|passphrase)\W+([0-9a-f]{32,64})\b/g)].map(([, text]) => text as string),
      );
    expect(issued).toHaveLength(12);
    const master = readFileSync(local.fixture.environment.CREDENTIALS_KEY_FILE, 'utf8').trim();
    for (const text of [...issued, team.secret, team.passphrase, secret as string, passphrase as string, master]) {
      const shown = outputs.filter(({ ran }) => `${ran.stdout}${ran.stderr}`.includes(text)).map(({ words }) => words);
      expect(shown).toEqual(issued.includes(text) ? [expect.stringMatching(/^keys (issue|rotate)$/)] : []);
    }
  });
});
