import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test, vi } from 'vitest';
import { execute, runCommand, temporaryFolder, UNREACHABLE } from '../../../setup/world.ts';
import { commandWords } from '../../commandWords.ts';

const COLUMNS = 80;
vi.setConfig({ testTimeout: 300_000 });
const FILL = fileURLToPath(new URL('../../../../cli/local/demo/fillDemo.ts', import.meta.url));

const cwd = temporaryFolder();
expect(await execute([process.execPath, FILL], { cwd, env: {} })).toMatchObject({ exitCode: 0 });
const json = async (...args: string[]) => JSON.parse((await runCommand([...args, '--json'], { cwd })).stdout);
const [{ entryId }] = await json('logs', 'list', '--uid', '3001', '--limit', '2');
const [{ accessKey: key }] = await json('keys', 'list', '--uid', '3001');
await runCommand(['statement', '--uid', '3001', '-o', 'a.statement'], { cwd });
writeFileSync(join(cwd, 'log.json'), '{"stage":""}');
const [name, secret] = ['ACCESS_KEY', 'SECRET'].map((one) => `AILOG_${one}`);
writeFileSync(join(cwd, 'a.env'), `${name}=${key}\n${secret}=a\nAILOG_PASSPHRASE=b\nAILOG_URL=${UNREACHABLE}\n`, {
  mode: 0o600,
});

/** The commands that show many rows: `--wide` shows what is cut in them. */
const TABLES = ['allowlist list', 'allowlist show', 'keys list', 'report', 'logs list'];

/** The arguments of every command that reads, and of some that fail. */
const argumentsOf: Readonly<Record<string, () => string[]>> = {
  'allowlist list': () => [],
  'allowlist show': () => ['3001'],
  'allowlist add': () => ['3001', '--lift-disqualification', '--note', 'n n '.repeat(100)],
  'allowlist suspend': () => ['99999'],
  'allowlist disqualify': () => ['99999', '--reason', 'r'],
  'allowlist remove': () => ['99999'],
  'allowlist import': () => ['.local/demo-orders.csv'],
  'keys issue': () => ['99998', '99999', '--output-dir', 'keys'],
  'keys rotate': () => ['ailog_none'],
  'keys revoke': () => ['ailog_none'],
  'keys list': () => [],
  'logs list': () => ['the', '--uid', '3001', '--limit', '5'],
  'logs show': () => [entryId],
  'logs verify': () => ['--uid', '3001'],
  'logs export': () => ['--uid', '3001', '-o', 'a.jsonl'],
  report: () => ['--orders', '.local/demo-orders.csv'],
  statement: () => ['--uid', '3001', '-o', 'b.statement'],
  // It ends before it listens.
  console: () => ['--no-open', '--orders', 'none.csv'],
  'reviews add': () => ['3001', 'looked-at', '--text', 'each log was read'],
  'reviews list': () => [],
  'data sync': () => [],
  'data backfill': () => [],
  'ops check': () => [],
  'ops rehearse': () => ['--remove'],
  'ops restore': () => ['--from', 'a', '--to', 'b'],
  'tlog status': () => [],
  'tlog export-policy': () => ['-o', 'policy'],
  'tlog audit': () => [],
  'tlog follow': () => [UNREACHABLE, 'log-copy', '--policy', '.local/tlog.policy'],
  upload: () => ['log.json', '--credentials', 'a.env'],
  sign: () => ['log.json', '--credentials', 'a.env'],
  doctor: () => ['log.json', '--credentials', 'a.env', '--timeout', '1s'],
  verify: () => ['a.statement', '--policy', '.local/tlog.policy'],
};

/** Returns the lines that are wider than the terminal although they could be broken. */
const tooWide = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => stringWidth(line) > COLUMNS && /\S\s+\S/.test(line.replace(/(npx |node )?\bailog .*/, 'ailog')));

test('the output and the help of every command fit 80 columns', async () => {
  const names = commandWords.map((words) => words.join(' '));
  expect(Object.keys(argumentsOf).sort()).toEqual(names.sort());
  const terminal = { cwd, env: { NO_COLOR: '1' }, types: [], columns: COLUMNS };
  const groups = new Set(commandWords.map((words) => words.slice(0, -1)).map((words) => words.join(' ')));
  const runs = [
    ...names.map((name) => [...name.split(' '), ...(argumentsOf[name]?.() ?? [])]),
    ['report', '--repeats'],
    ['allowlist', 'list', '--silent', '1s'],
    ['keys', 'list', key],
    ['keys', 'issue', '3001', '--credentials', 'a.env'],
    ...[...names, ...groups].map((name) => ['help', ...name.split(' ').filter(Boolean)]),
  ];
  const wrong: string[] = [];
  for (const args of runs) {
    const { stdout, stderr } = await runCommand(args, terminal);
    const shown = stripVTControlCharacters(stdout + stderr);
    if (shown === '') wrong.push(`${args.join(' ')}: no output`);
    const isTable = TABLES.some((name) => args.join(' ').startsWith(name));
    if (!isTable && stderr.includes('to fit:')) wrong.push(`${args.join(' ')}: text is cut`);
    wrong.push(...tooWide(shown).map((line) => `${args.join(' ')}: ${line}`));
  }
  expect(wrong).toEqual([]);
});

test('what is wrapped says the same as what a pipe gets', async () => {
  for (const name of ['logs show', 'logs verify', 'tlog status', 'ops check', 'verify', 'doctor']) {
    const args = [...name.split(' '), ...(argumentsOf[name]?.() ?? [])];
    const [seen, piped] = [
      await runCommand(args, { cwd, env: { NO_COLOR: '1' }, types: [], columns: COLUMNS }),
      await runCommand(args, { cwd }),
    ].map(({ stdout }) =>
      stdout
        .replace(/\n *… /g, ' ')
        .replace(/[\d smhin]+ ago/g, ' ago')
        .replace(/\s+/g, ' '),
    );
    expect([name, seen]).toEqual([name, piped]);
  }
  expect(readFileSync(join(cwd, 'log.json'), 'utf8')).toBe('{"stage":""}');
});
