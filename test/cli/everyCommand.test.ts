import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import cliPackage from '../../cli/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { execute, type Ran, runCommand } from '../setup/world.ts';
import { commandWords } from './commandWords.ts';

/** Runs every command with these arguments. @returns the names of the commands for which a check fails */
async function failing(args: (name: string) => readonly string[], check: (ran: Ran, name: string) => boolean) {
  const checked = commandWords.map(async (words) => {
    const name = words.join(' ');
    return check(await runCommand([...words, ...args(name)]), name) ? [] : [name];
  });
  return (await Promise.all(checked)).flat();
}

test('the help of every command says what it does, with examples of it and of --json', async () => {
  const wrong = await failing(
    () => ['--help'],
    ({ exitCode, stdout, stderr }, name) =>
      exitCode === 0 &&
      stderr === '' &&
      new RegExp(`^Usage: ailog ${name} .*\n\n(?!Arguments:|Options:)[A-Z]`).test(stdout) &&
      new RegExp(`\nExamples:\n(  # .*\n  ailog ${name}\\b.*\n)+\n$`).test(stdout) &&
      stdout.includes(' --json '),
  );
  expect(wrong).toEqual([]);
});

test.each([['--version'], ['-V']])('%s prints the version of the package', async (option) => {
  expect(await runCommand([option])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
});

test('no line of a help is wider than 80 columns, or ends within a sentence before it is full', async () => {
  const wrong = await failing(
    () => ['--help'],
    ({ stdout }) => {
      const [, description = ''] = stdout.split('\n\n');
      const lines = description.split('\n');
      const endsEarly = (line: string, index: number) => {
        const [next] = (lines[index + 1] ?? '').split(' ');
        return !/[.:]$/.test(line) && `${line} ${next}`.length <= 80;
      };
      // A command line with a URL has to stay one line.
      const fits = (line: string) => line.length <= 80 || line.includes('https://');
      return !lines.some(endsEarly) && stdout.split('\n').every(fits);
    },
  );
  expect(wrong).toEqual([]);
});

// biome-ignore format: one case a line
test.each([
  ['help', [], /^Usage: ailog \[options\] \[command\]\n/],
  ['help of a group', ['logs'], /^Usage: ailog logs \[options\] \[command\]\n/],
  ['help of a command in a group', ['logs', 'list'], /^Usage: ailog logs list /],
  ['help of a command, with an option that it lacks', ['logs', 'list', '--nonsense'], /^Usage: ailog logs list /],
])('%s', async (_name, words, stdout) => {
  expect(await runCommand(['help', ...words])).toEqual({ exitCode: 0, stdout: expect.stringMatching(stdout), stderr: '' });
});

test.each(['toString', 'constructor', '__proto__'])('%s is no command, although every object has it', async (word) => {
  expect(await runCommand([word, '--help'])).toEqual(await runCommand(['--help']));
  expect(await runCommand(['help', word])).toMatchObject({ exitCode: 2, stdout: '' });
});

test('only --debug prints a stack trace', async () => {
  const args = ['verify', '/nowhere/receipt', '--policy', '/nowhere/tlog.policy'];
  const says = 'There is no folder /nowhere.\n';
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
