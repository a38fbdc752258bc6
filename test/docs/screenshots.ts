/**
 * Takes the screenshots of README.md from the demo: `node test/docs/screenshots.ts`. Beside each picture in
 * docs/images/ is the text of the page, which `screenshots.slow.ts` compares with the page of today.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';
import { openConsole } from '../cli/console/openConsole.ts';
import { openBrowser } from '../setup/browser.ts';
import setUpBrowser from '../setup/chromium.ts';
import { execute } from '../setup/execute.ts';

const FILL = fileURLToPath(new URL('../../cli/local/demo/fillDemo.ts', import.meta.url));

/** The folder of the pictures. */
export const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

/** The pictures: the screen, and what shows that it is complete. */
const SHOTS = {
  board: { path: '/', shows: 'table.board tbody tr' },
  copies: { path: '/copies?uid=3006&original=3012', shows: '.pair section' },
} as const;

/** The size of the page. More of it would say no more. */
const SIZE = { width: 1280, height: 600 };

export type Shot = keyof typeof SHOTS;

/** The names of all pictures. */
export const shots = Object.keys(SHOTS) as Shot[];

/** Returns what a page says, without what is random in each demo: what ends entry ids. */
const textOf = (text: string) =>
  `${text
    .replace(/(\d{13})-[0-9a-f]{32}/g, '$1')
    .replace(/(:\d\dZ) [0-9a-f]{8}\b/g, '$1')
    .replace(/[ \t]+/g, ' ')
    .trim()}\n`;

/** Shows the screens on the demo in a browser. @param folder an empty one @returns pictures and texts by name */
export async function takeShots(folder: string): Promise<Map<Shot, { readonly png: Buffer; readonly text: string }>> {
  const filled = await execute([process.execPath, FILL, '--seed', '1'], { cwd: folder, env: {} });
  if (filled.exitCode !== 0) throw new Error(filled.stderr);
  const engine = await startEngine(join(folder, '.local'));
  const [browser, running] = await Promise.all([
    openBrowser(),
    openConsole(folder, ['--orders', '.local/demo-orders.csv']),
  ]);
  try {
    const page = await browser.newPage({ viewport: SIZE, locale: 'en-US', colorScheme: 'light' });
    await page.goto(running.link);
    await page.getByText('as of ').waitFor();
    const taken = new Map<Shot, { png: Buffer; text: string }>();
    for (const name of shots) {
      const { path, shows } = SHOTS[name];
      await page.goto(new URL(path, running.link).href);
      await page.locator('main table').first().waitFor();
      await page.locator(shows).first().waitFor();
      await page.locator('body[aria-busy=false]').waitFor();
      await page.getByText('as of ').waitFor();
      taken.set(name, { png: await page.screenshot(), text: textOf(await page.innerText('main')) });
    }
    return taken;
  } finally {
    await browser.close();
    await running.end();
    await engine.stop();
  }
}

if (import.meta.main) {
  const folder = join(IMAGES, '.demo');
  mkdirSync(folder, { recursive: true });
  try {
    await setUpBrowser();
    for (const [name, { png, text }] of await takeShots(folder)) {
      writeFileSync(join(IMAGES, `${name}.png`), png);
      writeFileSync(join(IMAGES, `${name}.txt`), text);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
