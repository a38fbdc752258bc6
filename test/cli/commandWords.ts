import { program } from '../../cli/main.ts';

/** The words of every command, such as `['keys', 'issue']`. */
export const commandWords: readonly (readonly string[])[] = Object.keys(program.commands).map((words) =>
  words.split(' '),
);

/** The options without which a command rejects every other option, with a value: `{ prove: ['--output', '1'] }`. */
export const requiredOptions: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  await Promise.all(
    Object.entries(program.commands).map(async ([words, load]) => {
      const required = Object.values((await load()).default.options ?? {}).filter((option) => option.required);
      return [words, required.flatMap(({ flags }) => [/--[\w-]+/.exec(flags)?.[0] ?? '', '1'])] as const;
    }),
  ),
);
