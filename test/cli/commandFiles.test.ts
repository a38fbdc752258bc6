import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commands } from '../../cli/main.ts';

const CLI = fileURLToPath(new URL('../../cli/commands', import.meta.url));

/** The folder of the commands without a group, by their heading in the help of `ailog`. */
const FOLDERS: Readonly<Record<string, string>> = {
  'Reviewers:': 'report',
  'Operators and auditors:': 'tlog',
  'Teams:': 'team',
};

const camelCase = (name: string): string => name.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());

/** The place of each command that its path, or else its heading in the help, says. */
const files = commands.commands.flatMap((one) =>
  ('commands' in one ? one.commands : [one]).map((command) => {
    const words = one === command ? [one.name] : [one.name, command.name];
    const folder = one === command ? FOLDERS[one.heading ?? ''] : one.name;
    return { words: words.join(' '), command, file: `${folder}/${camelCase(command.name)}.ts` };
  }),
);

test('every command of ailog says who it is for', () => {
  expect(commands.commands.filter(({ heading }) => heading === undefined)).toEqual([]);
});

test('each command is the only export of the file that its path, or else its heading, names', async () => {
  const checked = files.map(async ({ words, command, file }) => {
    if ('commands' in command) return [`${words}: a group in a group has no place in cli/commands/`];
    const loaded = await command.load();
    const exported = await import(/* @vite-ignore */ `${CLI}/${file}`).catch(() => ({}));
    const isOnly = Object.keys(exported).join() === 'default' && exported.default === loaded.default;
    return isOnly ? [] : [`${words}: not the only export of cli/commands/${file}`];
  });
  expect((await Promise.all(checked)).flat()).toEqual([]);
});

test('the folders of commands have no other files', () => {
  const folders = [...new Set(files.map(({ file }) => file.split('/')[0]))];
  const found = folders
    .flatMap((folder) => globSync(`${folder}/**`, { cwd: CLI, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath.slice(CLI.length + 1)}/${entry.name}`);
  expect(found.sort()).toEqual(files.map(({ file }) => file).sort());
});
