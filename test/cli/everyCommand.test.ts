import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { packTeamCommands } from '../../cli/pack/pack.ts';
import cliPackage from '../../cli/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { runCommand } from '../setup/commandLine.ts';
import { execute } from '../setup/execute.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { commandWords } from './commandWords.ts';

/** The options without which a command rejects any other. */
const REQUIRED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'allowlist disqualify': ['--reason', 'r'],
  'ops restore': ['--from', 'a', '--to', 'b'],
  prove: ['-o', 'a'],
  statement: ['--uid', '1', '-o', 'a'],
  'tlog monitor': ['--state', 'a'],
};

describe.each(commandWords.map((words) => words.join(' ')))('ailog %s', (name) => {
  const words = name.split(' ');

  test('prints help with examples of the command', async () => {
    const { exitCode, stdout, stderr } = await runCommand([...words, '--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ailog ${name} .*\n\n(?!Arguments:|Options:)[A-Z]`));
    expect(stdout).toMatch(new RegExp(`\nExamples:\n(  # .{1,76}\n  ailog ${name}\\b.*\n)+\n$`));
    expect(stdout).toMatch(/ --json /);
  });

  test('describes each argument and option', async () => {
    const { stdout } = await runCommand([...words, '--help']);
    const [usage = '', ...sections] = stdout
      .split(/^(?:Arguments|Options):\n/m)
      .map((part) => part.split('\n\n')[0] ?? '');
    const terms = sections.flatMap((section) => section.split('\n').filter((line) => /^ {2}\S/.test(line)));
    for (const term of terms) expect(term).toMatch(/^ {2}\S+( \S+)* {2,}[^\s(]/);
    const names = [...usage.matchAll(/[<[]([^<[]*?)(?:\.\.\.)?[>\]]/g)].map(([, argument]) => argument);
    for (const argument of names.filter((one) => one !== 'options')) {
      expect(terms).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${argument?.replace('|', '\\|')} {2,}`)));
    }
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

const tooWide = (text: string) => text.split('\n').filter((line) => stringWidth(line) > 80);

test.each([...new Set(['', ...commandWords.flatMap((words) => [words.slice(0, -1).join(' '), words.join(' ')])])])(
  'the help of ailog %s fits 80 columns',
  async (name) => expect(tooWide((await runCommand(['help', ...name.split(' ').filter(Boolean)])).stdout)).toEqual([]),
);

test('every help of the command line of teams fits 80 columns', async () => {
  const file = await packTeamCommands(temporaryFolder());
  const listed = async (...words: string[]): Promise<string[][]> => {
    const { exitCode, stdout } = await execute([process.execPath, file, ...words, '--help']);
    expect([words, exitCode, tooWide(stdout)]).toEqual([words, 0, []]);
    const [, list = ''] = stdout.split('\nCommands:\n');
    const names = [...list.matchAll(/^ {2}(?!help)(\w+)/gm)].map(([, name]) => name as string);
    return [words, ...(await Promise.all(names.map((name) => listed(...words, name)))).flat()];
  };
  expect((await listed()).map((words) => words.join(' '))).toEqual(expect.arrayContaining(['upload', 'tlog monitor']));
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

test('only --debug prints a stack trace', async () => {
  const args = ['logs', 'around', '1', '--orders', '/nowhere/orders.csv'];
  const says = 'There is no file /nowhere/orders.csv.\n';
  expect(await runCommand(args)).toEqual({ exitCode: 2, stdout: '', stderr: says });
  const { stderr } = await runCommand([...args, '--debug']);
  expect(stderr.startsWith(`${says}Error: ENOENT`)).toBe(true);
  expect(stderr).toMatch(/\n {4}at /);
});

test('the package installs ailog as a program', async () => {
  const program = fileURLToPath(new URL(`../../cli/${cliPackage.bin.ailog}`, import.meta.url));
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
