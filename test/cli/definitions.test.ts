import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { program } from '../../cli/main.ts';

const COMMANDS = fileURLToPath(new URL('../../cli/commands', import.meta.url));

const definitions = await Promise.all(
  Object.entries(program.commands).map(async ([words, load]) => [words, (await load()).default] as const),
);

/** Returns the commands for which a check fails. */
const failing = (check: (...one: (typeof definitions)[number]) => boolean) =>
  definitions.filter(([words, one]) => !check(words, one)).map(([words]) => words);

test('a command has the words under which it is listed, and is for those for whom its group is', () => {
  expect(failing((words, one) => words === one.words)).toEqual([]);
  const groupOf = (words: string) => (words.includes(' ') ? program.groups[words.split(' ')[0] as string] : undefined);
  expect(failing((words, one) => (groupOf(words)?.for ?? one.for) === one.for)).toEqual([]);
});

test('the path of a command is its words, and cli/commands/ has no other files', () => {
  const files = globSync('**/*.ts', { cwd: COMMANDS }).map((file) => file.replace(/\.ts$/, '').replace('/', ' '));
  expect(files.sort()).toEqual(Object.keys(program.commands).sort());
});

test('the examples of a command are command lines of it', () => {
  expect(
    failing(
      (words, { examples }) => examples.length > 0 && examples.every(([line]) => `${line} `.startsWith(`${words} `)),
    ),
  ).toEqual([]);
});

test('what a command asks for has one name each, also beside the options of the runner', () => {
  const names = failing((_words, { args = {}, options = {}, on }) => {
    const all = [args, options, on?.options ?? {}].flatMap((one) => Object.keys(one));
    return new Set([...all, 'json']).size === all.length + 1;
  });
  expect(names).toEqual([]);
  const ofRunner = /--(json|csv|wide|yes|dry-run|debug)\b/;
  expect(
    failing((_words, { options = {} }) => !Object.values(options).some(({ flags }) => ofRunner.test(flags))),
  ).toEqual([]);
});

test('no command takes a secret or a passphrase as an option', () => {
  const secret = /--(secret|passphrase|password)/;
  expect(
    failing((_words, { options = {} }) => !Object.values(options).some(({ flags }) => secret.test(flags))),
  ).toEqual([]);
});
