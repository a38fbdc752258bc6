import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { closedAtEnd } from './closing.ts';

/** The variable in which `chromium.ts` names the folder of Chromium, or `chrome` for the Chrome that is installed. */
export const CHROMIUM_VARIABLE = 'TEST_CHROMIUM';

/** True if this machine has a browser for the tests. */
export const hasBrowser = process.env[CHROMIUM_VARIABLE] !== undefined;

/** Returns how the browser of the tests is started. */
function launchOptions() {
  const folder = process.env[CHROMIUM_VARIABLE] as string;
  // Its own arguments are not passed: they switch the security of the web off.
  const own = {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
  return folder === 'chrome' ? { channel: folder } : own;
}

/** Starts the browser of the tests with a profile in a folder, which outlives the browser. */
export const openProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, { ...launchOptions(), locale: 'en-US' });

/** Starts the browser of the tests. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch(launchOptions());
  // A busy machine may take longer than the half minute after which Playwright gives up.
  browser.on('context', (context) => context.setDefaultTimeout(120_000));
  closedAtEnd(() => browser.close());
  return browser;
}

/** Tries to reach the network from a page, and to make elements of text. Expects its policy to refuse all of it. */
export async function expectClosedPage(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    window.refused = [];
    document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
    await fetch('https://example.com').catch(() => {});
    try { document.body.innerHTML = '<b>x</b>'; } catch (error) { refused.push(error.name); }
    for (const [tag, name, value] of [['img', 'src', 'https://example.com/x.png'], ['link', 'href', 'https://example.com/x.css'], ['iframe', 'src', 'https://example.com'], ['style', 'textContent', 'b {}']]) {
      const element = document.createElement(tag);
      element.rel = 'stylesheet';
      element[name] = value;
      document.body.append(element);
    }
  })()`);
  await expect
    .poll(() => page.evaluate('[...new Set(refused)].sort()'))
    .toEqual(['TypeError', 'connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-elem']);
  expect(await page.locator('b').count()).toBe(0);
}

/** Texts that would be elements, requests, dialogs or code if a page took them for more than text. */
// biome-ignore format: several a line
export const ATTACKS = [
  '<img/src=x/onerror=alert(1)>', '<script>alert(1)</script>', '"><svg/onload=alert(1)>',
  '</title><iframe/src=javascript:alert(1)>', 'javascript:alert(1)', '<a/href=https://example.com>x</a>',
  '<style>@import"//example.com"</style>', '\u202eexe.txt\u200b\u0007',
  `{{constructor.constructor('alert(1)')()}}`, '__proto__',
];

/**
 * Notes what a page does that no text may make it do. @param origin of what it may request
 * @returns the URLs of other requests, the texts of dialogs and errors, also of those that come later
 */
export function watch(page: Page, origin = 'none:'): string[] {
  const noted: string[] = [];
  page.on('request', (request) => request.url().startsWith(`${origin}/`) || noted.push(request.url()));
  page.on('dialog', (dialog) => noted.push(dialog.message()));
  page.on('pageerror', ({ message }) => noted.push(message));
  return noted;
}

/** Runs axe in a page. @param options of axe, as code @returns the rules and elements: violated, and not decided */
export async function runAxe(page: Page, options = '{}'): Promise<[violated: string[], undecided: string[]]> {
  await page.evaluate(axe.source);
  return (await page.evaluate(`axe.run(${options}).then(({ violations, incomplete }) => [violations, incomplete].map((rules) =>
    rules.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target))))`)) as [string[], string[]];
}
