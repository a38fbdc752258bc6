/** What is wrong with a command line, for all commands: exit code 2, and a sentence that says what would be right. */
import { expect, test } from 'vitest';
import { program } from '../../cli/main.ts';
import { localWorld, runCommand } from '../setup/world.ts';
import { requiredOptions } from './commandWords.ts';

const local = await localWorld();
local.file('log.json', '{}');
local.file('orders.csv', 'uid,order_id,time\n1001,1,2025-11-14 09:30:00\n');

/** The command lines, without `ailog`, and the first line of what each of them says. */
// biome-ignore format: one case a line
const CASES: readonly (readonly [line: string, says: string])[] = [
  ['lgos', "Unknown command 'lgos'"],
  ['logs lst', "Unknown command 'lst'"],
  ['help logs lst', "Unknown command 'lst'"],
  ['allowlist add', "Missing required argument 'uid'"],
  ['allowlist show 1 2', "Too many arguments for 'show'. Expected 1 argument but got 2: 1, 2."],
  ['allowlist add 0012', "Command-argument value '0012' is invalid for argument 'uid'. A UID is a decimal number without leading zeros, such as 1001."],
  ['allowlist add 1001 --local --stack a', 'Give either --local or --stack, not both.'],
  ['allowlist add 1001 --region a', '--region and --profile belong to a deployment.'],
  ['allowlist list --status banned', "Option '--status <status>' argument 'banned' is invalid. Allowed choices are approved, suspended, disqualified, removed."],
  ['allowlist disqualify 1001', 'Give either --reason TEXT or --reviewed.'],
  ['allowlist disqualify 1001 1002 --reviewed', 'Give one UID with --reviewed.'],
  ['keys issue 1001 --expires tomorrow', "Option '--expires <date>' argument 'tomorrow' is invalid."],
  ['keys rotate a --grace 90', "Option '--grace <span>' argument '90' is invalid. A span is a number with a unit, such as 90s, 30m, 1h or 2d, or just 0."],
  ['logs list --limit 5 --limit 5', "Option '--limit <n>' can be given once"],
  ['logs list --limit 0', "Option '--limit <n>' argument '0' is invalid. It must be a whole number of at least 1."],
  ['logs list --order 0', "Option '--order <id>' argument '0' is invalid. An order id is an integer from 1 to 9223372036854775807."],
  ['logs list --since 2025-11-14 --until 2025-11-14', '--since must be before --until, which is exclusive.'],
  ['report --since 2025-11-14 --until 2025-11-14', '--since must be before --until'],
  ['logs list --until yesterday', "Option '--until <date>' argument 'yesterday' is invalid. A date is a day in UTC, such as 2025-11-14, or a time"],
  ['report --lines all', "Option '--lines <what>' argument 'all' is invalid. Allowed choices are team, order."],
  ['report --orders orders.csv --time-zone CET', "Option '--time-zone <zone>' argument 'CET' is invalid. A time zone is an offset from UTC, such as +08:00"],
  ['ops rehearse --teams 0', "Option '--teams <n>' argument '0' is invalid. It must be a whole number of at least 1."],
  ['ops restore --from a', "Required option '--to <table>' not specified"],
  ['ops restore --from a --to b --uid x', "Option '--uid <uid>' argument 'x' is invalid. A UID is a decimal number without leading zeros, such as 1001."],
  ['logs show 1795', "Command-argument value '1795' is invalid for argument 'entry'."],
  ['logs export -o a --output=b', "Option '-o, --output <file>' can be given once"],
  ['sign log.json --timestamp 1763103201', "Option '--timestamp <ms>' argument '1763103201' is invalid. A timestamp is milliseconds since 1970, 13 digits."],
  ['sign log.json', 'AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE'],
  ['statement --uid 1 --uid 2 -o f', "Option '--uid <uid>' can be given once"],
];

test.each(CASES)('ailog %s', async (line, says) => {
  const { exitCode, stdout, stderr } = await local.ailog(line.split(' '));
  const [first = ''] = stderr.split('\n');
  expect({ exitCode, stdout, says: first.slice(0, says.length) }).toEqual({ exitCode: 2, stdout: '', says });
});

const everyCommand = Object.keys(program.commands);

test('a command that prints CSV rejects --csv with --json', async () => {
  const loaded = await Promise.all(Object.values(program.commands).map(async (load) => (await load()).default));
  for (const one of loaded) {
    if (!one.forms?.includes('csv')) continue;
    const { exitCode, stderr } = await runCommand([...one.words.split(' '), '--json', '--csv']);
    expect([one.words, exitCode, stderr]).toEqual([one.words, 2, 'Give either --json or --csv, not both.\n']);
  }
});

test.each(everyCommand)('ailog %s rejects an unknown option', async (words) => {
  const ran = await runCommand([...words.split(' '), '--nonsense', ...(requiredOptions[words] ?? [])]);
  expect(ran).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Unknown option '--nonsense'.*\n--help shows the usage\.\n$/s),
  });
});

test.each([
  ['no argument', [], /^Usage: ailog \[options\] \[command\]\n/],
  ['a group without a command', ['logs'], /^Usage: ailog logs /],
])('%s shows the usage', async (_name, args, stderr) => {
  expect(await runCommand(args)).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(stderr) });
});

test.each([['logs list --uid 1 --uid 2 --json --json']])(
  'ailog %s gives twice what can be repeated, and a switch',
  async (line) => {
    expect((await runCommand(line.split(' '))).stderr).not.toContain('can be given once');
  },
);
