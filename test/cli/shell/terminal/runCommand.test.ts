import { expect, test } from 'vitest';
import { count, span } from '../../../../cli/shell/terminal/arguments.ts';
import {
  type Command,
  defineChange,
  defineCommand,
  defineOpener,
  defineTerminalCommand,
} from '../../../../cli/shell/terminal/defineCommand.ts';
import { Failure } from '../../../../cli/shell/terminal/failure.ts';
import type { Program } from '../../../../cli/shell/terminal/program.ts';
import { type RunOptions, runCommand } from '../../../setup/world.ts';

const about = { for: 'Admins', summary: 'Does it.', examples: [] } as const;

/** What the commands of this test did, in order. */
let done: string[] = [];

const onBox = defineOpener({
  kind: 'a box',
  options: { box: { flags: '--box <name>', help: 'the box', default: 'big' } },
  async use(_terminal, { box }, work: (opened: { readonly box: string }) => Promise<void>) {
    done.push(`opened ${box}`);
    await work({ box }).finally(() => done.push(`closed ${box}`));
  },
});

const commands: readonly Command[] = [
  defineCommand({
    ...about,
    words: 'box list',
    args: { first: { name: '<first>', help: 'a number', read: count }, rest: { name: '[rest...]', help: 'words' } },
    options: {
      limit: { flags: '--limit <n>', help: 'a limit', read: count, default: 20 },
      colour: { flags: '--colour <name>', help: 'a colour', choices: ['red', 'blue'] },
      full: { flags: '--full', help: 'all of it' },
      sync: { flags: '--no-sync', help: 'as it is' },
    },
    on: onBox,
    forms: ['wide', 'csv'],
    async run({ first, rest, limit, colour, full, sync }, { box, remark, terminal }) {
      remark('That was all.');
      terminal.note('Looking.');
      return [{ box, first: first + 1, rest: rest.join('+'), limit, colour, full: String(full), sync: String(sync) }];
    },
    *shows(rows, { limit }) {
      yield { table: rows };
      yield `at most ${limit}`;
    },
  }),
  defineCommand({
    ...about,
    words: 'box stream',
    forms: ['csv'],
    async *run() {
      yield { n: 1 };
      done.push('between');
      yield { n: 2 };
    },
    async *shows(rows) {
      for await (const { n } of rows) yield `row ${n}`;
    },
  }),
  defineCommand({
    ...about,
    words: 'box fails',
    options: { late: { flags: '--late', help: 'after the answer' } },
    on: onBox,
    async run({ late }, { endWith, terminal }) {
      const failure = new Failure('unreachable', 'It does not answer.', { advice: 'Try again.' });
      if (!late) throw failure;
      terminal.reportNegative();
      endWith(failure);
      return { tried: 1 };
    },
    shows: (facts) => [{ facts }],
  }),
  defineCommand({
    ...about,
    words: 'box read',
    options: {
      full: { flags: '--full', help: 'all of it' },
      within: { flags: '--within <span>', help: 'a time', read: span, default: 90_000 },
    },
    run: () => ({ letter: 'x'.repeat(5000) }),
    shows: (facts, { full }) => [{ facts, full }],
  }),
  defineChange({
    ...about,
    words: 'box empty',
    options: {
      force: { flags: '--force', help: 'also what is locked' },
      nothing: { flags: '--nothing', help: 'nothing is in it' },
      undo: { flags: '--undo', help: 'can be undone' },
    },
    on: onBox,
    async run({ force, nothing, undo }, { box }) {
      const apply = async () => {
        done.push('emptied');
        return { emptied: box };
      };
      const questions = [`Empty ${box}?`, { ask: 'Unlock it?', option: '--force', given: force }];
      return { plan: { wouldEmpty: box }, questions: undo ? [] : questions, apply: nothing ? undefined : apply };
    },
    plans: (facts) => [{ facts }],
    shows: (facts) => [{ facts }],
  }),
  defineTerminalCommand({
    ...about,
    words: 'box watch',
    on: onBox,
    async run({ json }, { terminal, box }) {
      await (json ? terminal.json({ box }) : terminal.print(`watching ${box}`));
    },
  }),
];

const program: Program = {
  version: '1',
  summary: 'A box.',
  groups: { box: { for: 'Admins', summary: 'The box.' } },
  commands: Object.fromEntries(commands.map((one) => [one.words, async () => ({ default: one })])),
};

async function box(line: string, options: RunOptions = {}) {
  done = [];
  return { ...(await runCommand(['box', ...line.split(' ')], { program, ...options })), done };
}

const around = ['opened big', 'closed big'];

test('a command gets what was asked for by its names, and what it opens', async () => {
  expect(await box('list 1 a b --colour red --full --no-sync --limit 2 --box small')).toEqual({
    exitCode: 0,
    stdout:
      'box    first  rest  limit  colour  full  sync\nsmall      2  a+b       2  red     true  false\nat most 2\n',
    stderr: 'Looking.\nThat was all.\n',
    done: ['opened small', 'closed small'],
  });
});

test.each([
  [
    '--json',
    '[\n  {\n    "box": "big",\n    "first": 2,\n    "rest": "",\n    "limit": 20,\n    "full": "false",\n    "sync": "true"\n  }\n]\n',
  ],
  ['--csv', 'box,first,rest,limit,colour,full,sync\nbig,2,,20,,false,true\n'],
])('an answer with %s', async (form, stdout) => {
  expect(await box(`list 1 ${form}`)).toMatchObject({ exitCode: 0, stdout, stderr: 'Looking.\nThat was all.\n' });
});

test.each([
  ['', 'row 1\nrow 2\n'],
  [' --json', '[\n{\n  "n": 1\n},\n{\n  "n": 2\n}\n]\n'],
  [' --csv', 'n\n1\n2\n'],
])('rows that come one by one%s', async (form, stdout) => {
  expect(await box(`stream${form}`)).toEqual({ exitCode: 0, stdout, stderr: '', done: ['between'] });
});

test.each([
  ['fails', ''],
  ['fails --late', 'tried   1\n'],
])('%s: what was opened is closed, and the exit code is that of the failure', async (line, stdout) => {
  const stderr = 'It does not answer.\nTry again.\n';
  expect(await box(line)).toEqual({ exitCode: 4, stdout, stderr, done: around });
});

test('a long fact is cut, unless the answer is full', async () => {
  expect((await box('read')).stdout).toBe(`letter  ${'x'.repeat(4096)}… (904 more characters)\n`);
  expect((await box('read --full')).stdout).toBe(`letter  ${'x'.repeat(5000)}\n`);
});

const planned = 'wouldEmpty  big\n';
const changed = 'emptied big\n';
const atOnce = ['opened big', 'emptied', 'closed big'];

// biome-ignore format: one case a line
test.each<[string, number, string, string | RegExp, string[]]>([
  ['empty', 2, planned, /^Cannot ask: no terminal\.|Empty big\? Cannot ask/, around],
  ['empty --yes', 2, planned, /--force/, around],
  ['empty --yes --force', 0, changed, '', atOnce],
  ['empty --undo', 0, changed, '', atOnce],
  ['empty --dry-run', 0, planned, 'Nothing was changed: --dry-run.\n', around],
  ['empty --dry-run --yes --json', 0, '{\n  "wouldEmpty": "big"\n}\n', 'Nothing was changed: --dry-run.\n', around],
  ['empty --nothing', 0, planned, '', around],
  ['empty --json', 2, '', /Cannot ask/, around],
  ['empty --json --yes --force', 0, '{\n  "emptied": "big"\n}\n', '', atOnce],
])('a change: %s', async (line, exitCode, stdout, stderr, steps) => {
  const says = typeof stderr === 'string' ? stderr : expect.stringMatching(stderr);
  expect(await box(line)).toEqual({ exitCode, stdout, stderr: says, done: steps });
});

test.each([
  [['y', 'y'], 0, atOnce],
  [['y', 'n'], 1, around],
  [['n'], 1, around],
])('a change whose questions a person answers with %s', async (types, exitCode, steps) => {
  const ran = await box('empty', { types });
  expect(ran).toMatchObject({ exitCode, done: steps });
  expect(ran.stdout).toContain(planned);
});

test('a command that owns the terminal prints by itself', async () => {
  expect(await box('watch')).toEqual({ exitCode: 0, stdout: 'watching big\n', stderr: '', done: around });
  expect(await box('watch --json')).toMatchObject({ stdout: '{\n  "box": "big"\n}\n' });
});

test('the help names the questions of a change, and the forms of an answer', async () => {
  const optionsIn = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
  const helpOf = async (words: string) => optionsIn((await box(`${words} --help`)).stdout);
  expect(await helpOf('empty')).toEqual([
    '--force',
    '--nothing',
    '--undo',
    '--box',
    '--yes',
    '--dry-run',
    '--json',
    '--debug',
    '--help',
  ]);
  expect(await helpOf('stream')).toEqual(['--json', '--csv', '--debug', '--help']);
  expect((await helpOf('list')).slice(-5)).toEqual(['--json', '--csv', '--wide', '--debug', '--help']);
  expect((await box('list --help')).stdout).toMatch(/--limit <n> .*\(default: 20\)/);
  // As it is typed, not in milliseconds.
  expect((await box('read --help')).stdout).toMatch(/--within <span> .*\(default: 90s\)/);
});
