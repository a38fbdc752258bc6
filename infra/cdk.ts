import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readSettings, WrongSettings } from './readSettings.ts';

/*
 * Checks the settings, then runs the CDK command line with the same arguments: `node infra/cdk.ts deploy -c stage=prod`.
 * CDK starts the app in a process of its own, reads a wrong setting's message seconds later, and adds one about that process.
 */

const json = (file: string): Record<string, unknown> =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

/** Returns the context as CDK reads it: ~/.cdk.json, then cdk.json, then cdk.context.json, then `-c name=value`. */
function contextOf(args: readonly string[]): Record<string, unknown> {
  const { values } = parseArgs({
    args: [...args],
    options: { context: { type: 'string', short: 'c', multiple: true } },
    strict: false,
    allowPositionals: true,
  });
  const given = (values.context ?? []).map((pair) => {
    const [name = '', ...value] = String(pair).split('=');
    return [name, value.join('=')];
  });
  return {
    ...(json(join(homedir(), '.cdk.json')).context as object),
    ...(json('cdk.json').context as object),
    ...json('cdk.context.json'),
    ...Object.fromEntries(given),
  };
}

const args = process.argv.slice(2);
try {
  readSettings(contextOf(args));
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  const child = spawn(process.execPath, [cdk, ...args], { stdio: 'inherit' });
  // The terminal sends these to CDK too, which decides how to end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  if (!(error instanceof WrongSettings)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
