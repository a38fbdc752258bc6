/**
 * Measures how long `ailog` takes to start: `npm run bench startup`. The bare work of a command is a program that loads
 * the packages that the command needs and does nothing else.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logText } from '../setup/upload.ts';
import { sideBySide } from './measure.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 15;

/** The packages that the tables of a target need. */
const TABLES = [
  '@aws-sdk/client-cloudformation',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-kms',
  '@aws-sdk/client-sts',
  '@aws-sdk/lib-dynamodb',
];

/** Commands, with the packages of their bare work. None of them reaches a service. */
const cases = {
  'ailog --help': { args: ['--help'], packages: ['commander'] },
  'ailog sign log.json': { args: ['sign', 'log.json'], packages: ['commander', '@middy/http-json-body-parser'] },
  'ailog logs list': {
    args: ['logs', 'list', '--stack', 'S', '--local'],
    packages: ['commander', 'p-limit', ...TABLES],
  },
} as const;

const env = { PATH: process.env.PATH, AILOG_ACCESS_KEY: 'k', AILOG_SECRET: 's', AILOG_PASSPHRASE: 'p' };

/** Runs a program and returns its duration in milliseconds. */
function time(folder: string, args: readonly string[]): number {
  const start = performance.now();
  try {
    execFileSync(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
  } catch (error) {
    // `ailog logs list` ends with a usage error after all of its packages are loaded.
    if ((error as { status: number }).status !== 2) throw error;
  }
  return performance.now() - start;
}

/** Measures how long commands take to start, beside their bare work. */
export async function measureStartup(): Promise<string[]> {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.cache-startup-'));
  writeFileSync(join(folder, 'log.json'), logText());
  const lines = ['### Start of the command line', '', '| command | bare work | ailog | ratio |', '|---|---|---|---|'];
  for (const [name, { args, packages }] of Object.entries(cases)) {
    const bare = join(folder, 'bare.mjs');
    writeFileSync(bare, packages.map((one) => `import '${one}';\n`).join(''));
    const times = await sideBySide(ROUNDS, {
      bare: () => time(folder, [bare]),
      ailog: () => time(folder, [join(ROOT, 'cli/ailog.js'), ...args]),
    });
    // The least of all rounds: other programs on the machine only add to it.
    const [work, whole] = [Math.min(...times.bare), Math.min(...times.ailog)];
    lines.push(`| ${name} | ${work.toFixed(0)} ms | ${whole.toFixed(0)} ms | ${(whole / work).toFixed(2)} |`);
  }
  rmSync(folder, { recursive: true });
  return lines;
}
