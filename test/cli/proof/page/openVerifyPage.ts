import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { packVerifyPage } from '../../../../cli/proof/page/pack.ts';
import { openBrowser } from '../../../setup/browser.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

/** What the page shows. An entry is the lines of its list, as pairs. */
export interface Shown {
  readonly verdict: string;
  readonly problems: readonly string[];
  /** The word about each entry, and about the whole of a file with several. */
  readonly words: readonly string[];
  readonly results: readonly {
    readonly name: string;
    readonly entries: readonly (readonly [name: string, text: string])[][];
  }[];
}

/** Runs in the page. As text, because the types of the DOM belong to the page alone. */
const READ = `(() => {
  const texts = (root, selector) => [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);
  for (const more of document.querySelectorAll('.entries + .more')) while (!more.hidden) more.click();
  return {
    verdict: document.querySelector('#verdict').textContent,
    problems: texts(document, '#results .problem dd'),
    words: [...document.querySelectorAll('#results section')].flatMap((card) =>
      texts(card, card.querySelector('.entries') ? 'summary .badge' : 'header .badge'),
    ),
    results: [...document.querySelectorAll('#results section')].map((card) => ({
      name: card.querySelector('h2').textContent,
      entries: [...card.querySelectorAll('dl')].map((list) => {
        const [names, values] = [texts(list, 'dt'), texts(list, 'dd')];
        return names.map((name, index) => [name, values[index]]);
      }),
    })),
  };
})()`;

/** A file to choose: its path, or its name and content. */
export type Chosen = string | { readonly name: string; readonly buffer: Buffer };

/** Builds a page, and opens the browser of the tests. Close it afterwards. */
export async function openVerifyPage() {
  const { path } = await packVerifyPage(temporaryFolder());
  const browser = await openBrowser();
  const reload = async (page: Page) => {
    await page.goto(pathToFileURL(path).href);
    await page.waitForSelector('#choose:enabled', { state: 'attached' });
  };
  const give = (page: Page, files: readonly Chosen[]) => {
    const given = files.map((file) => (typeof file === 'string' ? file : { ...file, mimeType: '' }));
    return page.setInputFiles('#choose', given as string[]);
  };
  return {
    browser,
    path,
    /** Opens the page in a context of its own. */
    async open(options: BrowserContextOptions = {}): Promise<Page> {
      const page = await browser.newPage({ locale: 'en-US', ...options });
      await reload(page);
      return page;
    },
    reload,
    give,
    /** Chooses files, and waits until they are verified. */
    async choose(page: Page, files: readonly Chosen[]): Promise<Shown> {
      await give(page, files);
      await page.waitForSelector('body[aria-busy=false]');
      return (await page.evaluate(READ)) as Shown;
    },
  };
}

/** The page in a browser. */
export type VerifyPage = Awaited<ReturnType<typeof openVerifyPage>>;
