import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import packageJson from '../../package.json' with { type: 'json' };
import { program } from '../main.ts';
import type { Command } from '../shell/terminal/defineCommand.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const PACKED_NODE = '20.12';

const onlyVersion: Plugin = {
  name: 'only-version',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]package\.json$/ }, () => ({
      contents: JSON.stringify({ version: packageJson.version }),
      loader: 'json',
    })),
};

/** Makes the help and the messages show commands as they must be typed. */
const packedName: Plugin = {
  name: 'packed-name',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]programName\.ts$/ }, () => ({ contents: "export const PROGRAM = 'node ailog.mjs';" })),
};

/** Returns the words of the commands that teams get: their own, and the commands that read a public log. */
async function packedCommands(): Promise<string[]> {
  const loaded = Object.values(program.commands).map(async (load) => (await load()).default);
  const isPacked = (one: Command) => one.for === 'Teams' || one.on?.kind === 'a public log';
  return (await Promise.all(loaded)).filter(isPacked).map(({ words }) => words);
}

/** Returns the program of the packed file: `ailog` with fewer commands. */
export async function packedProgram(): Promise<string> {
  const commands = await packedCommands();
  const entry = (words: string) => `'${words}': () => import('./cli/commands/${words.replace(' ', '/')}.ts'),`;
  return `import packageJson from './package.json' with { type: 'json' };
import { runProcess } from './cli/shell/terminal/program.ts';

await runProcess({
  version: packageJson.version,
  summary: 'Upload AI logs, find out why uploads are rejected, and verify receipts.',
  groups: ${JSON.stringify({ tlog: program.groups.tlog })},
  commands: {
    ${commands.map(entry).join('\n    ')}
  },
});
`;
}

/** Builds the commands of teams into one file, not minified, so that teams can read it. @returns its path */
export async function packTeamCommands(folder: string): Promise<string> {
  const outfile = join(resolve(folder), 'ailog.mjs');
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    stdin: { contents: await packedProgram(), resolveDir: ROOT, sourcefile: 'ailog.ts', loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${PACKED_NODE}`,
    mainFields: ['module', 'main'],
    alias: { 'node:zlib': './cli/pack/zlib.ts' },
    plugins: [onlyVersion, packedName],
    banner: { js: '#!/usr/bin/env node' },
    legalComments: 'eof',
    logLevel: 'silent',
  });
  chmodSync(outfile, 0o755);
  return outfile;
}

if (import.meta.main) {
  const file = await packTeamCommands('dist');
  console.log(`${file}, ${Math.round(statSync(file).size / 1024)} KB. Hand it out to teams: node ailog.mjs --help`);
}
