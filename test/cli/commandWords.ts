import { commands } from '../../cli/main.ts';

/** A command or a group in the list of `ailog`. */
type Listed = Pick<(typeof commands.commands)[number], 'name'> & { readonly commands?: readonly Listed[] };

const wordsBelow = ({ commands }: Listed, before: readonly string[] = []): string[][] =>
  commands === undefined ? [[...before]] : commands.flatMap((child) => wordsBelow(child, [...before, child.name]));

/** The words of every command that is not a group, such as `['keys', 'issue']`. */
export const commandWords: readonly (readonly string[])[] = wordsBelow(commands);
