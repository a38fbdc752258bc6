import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with the emulator and the AWS command line, or the reason why there is none. */
    ministack: { readonly programs: string } | { readonly missing: string };
  }
}

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../.local/ministack', import.meta.url));

/** Python script that exits with 0 if this Python can create a virtual environment for the emulator. */
const SUITABLE = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';

async function findPython(): Promise<string | undefined> {
  for (const python of ['python3', 'python']) {
    try {
      await run(python, ['-c', SUITABLE], { timeout: 20_000 });
      return python;
    } catch {}
  }
  return undefined;
}

/** Installs the pinned emulator into its own virtual environment, unless it is already installed. */
async function install(python: string): Promise<string> {
  const stamp = join(FOLDER, 'requirements.txt');
  const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(REQUIREMENTS, 'utf8');
  if (!installed) {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    await run(python, ['-m', 'venv', FOLDER], { timeout: 120_000 });
    await run(join(FOLDER, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '-r', REQUIREMENTS], {
      timeout: 300_000,
    });
    copyFileSync(REQUIREMENTS, stamp);
  }
  return join(FOLDER, 'bin');
}

/**
 * Installs the emulator before the tests. Without Python, prints a warning, and every test is skipped with that reason.
 */
export default async function setup(project: TestProject): Promise<void> {
  const python = await findPython();
  if (python === undefined) {
    const missing = 'skipped: no Python 3.10 or later with venv on the PATH, and the AWS emulator needs one';
    console.warn(`test:deploy ${missing}`);
    project.provide('ministack', { missing });
  } else {
    project.provide('ministack', { programs: await install(python) });
  }
}
