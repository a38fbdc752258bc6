import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapeHidden } from '../../cli/shell/text/visible.ts';
import { localWorld, UNREACHABLE } from '../setup/world.ts';
import { commandWords, requiredOptions } from './commandWords.ts';

/** A path, or any other argument, that erases the screen, begins a line and turns the direction of the text. */
const HOSTILE = 'a\u001b[2J\u009b31m\nforged line\u202eb\u2028';

/** The time after which a command that works is interrupted, in milliseconds. */
const LIMIT_MS = 5000;

/** What some commands need before they look at the value of an option. */
const BESIDE: typeof requiredOptions = { ...requiredOptions, console: ['--no-open', '--no-sync'] };

/** Arguments that are as they must be, by their names. */
const RIGHT: Readonly<Record<string, string>> = {
  uid: '1001',
  key: `ailog_${'0'.repeat(32)}`,
  entry: '17953625498',
  verdict: 'looked-at',
  text: 'a',
  url: UNREACHABLE,
};

// The SDK would look for credentials on the network.
process.env.AWS_EC2_METADATA_DISABLED = 'true';
const data = await localWorld();
data.file('a.env', `AILOG_ACCESS_KEY=a\nAILOG_SECRET=b\nAILOG_PASSPHRASE=c\nAILOG_URL=${UNREACHABLE}\n`);
data.file('a.json', '{}');
afterAll(() => delete process.env.AWS_EC2_METADATA_DISABLED);

/** Runs a command. @returns its output, also if it was interrupted */
async function outputOf(args: readonly string[], env: NodeJS.ProcessEnv = {}, limit = LIMIT_MS): Promise<string> {
  const { stdout, stderr } = await data.ailog(args, { env, input: '', signal: AbortSignal.timeout(limit) });
  return stdout + stderr;
}

/** Checks that an output has nothing of the hostile text as it is. */
function expectVisible(args: readonly string[], output: string): void {
  const lines = output.split('\n').filter((line) => line !== escapeHidden(line) || line.startsWith('forged line'));
  expect([args, lines]).toEqual([args, []]);
}

/** Returns the command lines of a command with a hostile value at each place that takes one. */
async function hostileLines(words: readonly string[]): Promise<string[][]> {
  const help = await outputOf([...words, '--help']);
  const [usage = ''] = help.split('\n');
  const required = [...usage.matchAll(/<([\w|-]+)(?:\.{3})?>/g)].map(([, name = '']) => name);
  const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+) [<[]/gm)].map(([, name = '']) => name);
  const right = required.map((name) => RIGHT[name] ?? 'a.json');
  const beside = [...(BESIDE[words.join(' ')] ?? []), ...(options.includes('--url') ? ['--credentials', 'a.env'] : [])];
  return [
    [...words, HOSTILE],
    [...words, `--${HOSTILE}`],
    ...required.map((_, place) => [...words, ...right.with(place, HOSTILE), ...beside]),
    ...options.map((option) => [...words, ...right, ...beside, option, HOSTILE]),
  ];
}

describe.each(['of nothing', 'of a file', 'of a folder'])('a hostile path %s', (kind) => {
  beforeAll(() => {
    const path = join(data.folder, HOSTILE);
    rmSync(path, { recursive: true, force: true });
    if (kind === 'of a file') writeFileSync(path, 'uid,order_id,time\n1,2,3\n', { mode: 0o600 });
    if (kind === 'of a folder') mkdirSync(path);
  });

  test.each(commandWords.map((words) => [words.join(' ')]))('ailog %s', async (name) => {
    for (const args of await hostileLines(name.split(' '))) expectVisible(args, await outputOf(args));
  });
});

test.each([
  ['AILOG_URL', ['doctor']],
  ['AILOG_ACCESS_KEY', ['sign', 'a.json']],
  ['AWS_REGION', ['tlog', 'status', '--stack', 'a']],
  ['AWS_PROFILE', ['tlog', 'status', '--stack', 'a']],
  ['AWS_ENDPOINT_URL', ['tlog', 'status', '--stack', 'a']],
  ['DYNAMODB_ENDPOINT', ['allowlist', 'list']],
  ['XDG_DATA_HOME', ['data', 'sync', '--check', '--stack', 'a']],
  ['USER', ['allowlist', 'list', '--json']],
])('a hostile %s', async (name, args) => {
  const credentials = { AILOG_URL: UNREACHABLE, AILOG_ACCESS_KEY: 'a', AILOG_SECRET: 'b' };
  expectVisible([name], await outputOf(args, { ...credentials, AILOG_PASSPHRASE: 'c', [name]: HOSTILE }));
});

test.each([
  ['of a file that is not there', ['report', '--orders', 'none'], 'There is no file '],
  ['of an order list', ['report', '--orders', 'orders'], 'Read 1 order from '],
  ['of an order list with a wrong line', ['report', '--orders', 'wrong'], ' has invalid lines:\nLine 2: '],
  ['of a folder', ['report', '--orders', '.'], 'is a folder, not a file.'],
])('a hostile path %s is shown in one line', async (_name, [group = '', ...args], says) => {
  const folder = join(data.folder, HOSTILE);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'orders'), 'uid,order_id,time\n1001,2,2026-11-17 00:30:00\n');
  writeFileSync(join(folder, 'wrong'), 'uid,order_id,time\n1001,2,3\n');
  const path = join(folder, args.at(-1) as string);
  const output = await outputOf([group, ...args.slice(0, -1), path], {}, 50_000);
  expectVisible([path], output);
  expect(output).toContain(says);
  expect(output).toContain('a\\u001b[2J\\u009b31m\\nforged line\\u202eb\\u2028');
});
