import { commands } from '../../cli/main.ts';

/** A command or a group in the list of `ailog`. */
type Listed = Pick<(typeof commands.commands)[number], 'name'> & { readonly commands?: readonly Listed[] };

const wordsBelow = ({ commands }: Listed, before: readonly string[] = []): string[][] =>
  commands === undefined ? [[...before]] : commands.flatMap((child) => wordsBelow(child, [...before, child.name]));

/** The words of every command that is not a group, such as `['keys', 'issue']`. */
export const commandWords: readonly (readonly string[])[] = wordsBelow(commands);

/** The options without which a command rejects every other option, or its value. */
export const requiredOptions: Readonly<Record<string, readonly string[]>> = {
  'allowlist disqualify': ['--reason', 'r'],
  'ops capacity': ['--teams', '1', '--per-minute', '1', '--peak', '1'],
  'ops restore': ['--from', 'a', '--to', 'b'],
  prove: ['-o', 'a'],
  statement: ['--uid', '1', '-o', 'a'],
  'tlog monitor': ['--state', 'a'],
};
