import { program } from '../../cli/main.ts';

/** The words of every command, such as `['keys', 'issue']`. */
export const commandWords: readonly (readonly string[])[] = Object.keys(program.commands).map((words) =>
  words.split(' '),
);

/** The options without which a command rejects every other option, or its value. */
export const requiredOptions: Readonly<Record<string, readonly string[]>> = {
  'allowlist disqualify': ['--reason', 'r'],
  'ops restore': ['--from', 'a', '--to', 'b'],
  prove: ['-o', 'a'],
  statement: ['--uid', '1', '-o', 'a'],
  'tlog monitor': ['--state', 'a'],
};
