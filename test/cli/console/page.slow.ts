import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '../../../cli/console/server/serve.ts';
import { archetypes } from '../../../cli/local/demo/archetypes.ts';
import { createCompetition } from '../../../cli/local/demo/competition.ts';
import { reasons as reasonsToLook } from '../../../cli/review/figures/reasons.ts';
import { localTables } from '../../../cli/store/targets/data.ts';
import { startEngine } from '../../../cli/store/targets/embeddedEngine.ts';
import { ATTACKS, expectClosedPage, hasBrowser, openBrowser, runAxe, watch } from '../../setup/browser.ts';
import { closedAtEnd } from '../../setup/closing.ts';
import { execute, localWorld, logText, startServer, temporaryFolder } from '../../setup/world.ts';
import { ask, hold, openConsole, press, type RunningConsole, touching } from './openConsole.ts';

const FILL = fileURLToPath(new URL('../../../cli/local/demo/fillDemo.ts', import.meta.url));

/** The size of a laptop's screen. */
const LAPTOP = { width: 1280, height: 800 };

const ORDERS = ['--orders', '.local/demo-orders.csv'];
const competition = createCompetition('1');
const flagged = competition.filter(({ archetype }) => archetypes[archetype].found.length > 0);
const uidOf = (name: keyof typeof archetypes) => competition.find(({ archetype }) => archetype === name)?.uid as string;
const archetypeOf = (uid: string | null) => competition.find((team) => team.uid === uid)?.archetype ?? 'honest';
const [late, copier] = [uidOf('late'), uidOf('copying')];

let browser: Browser;
let running: RunningConsole;
let cwd: string;
beforeAll(async () => {
  if (!hasBrowser) return;
  cwd = temporaryFolder();
  expect(await execute([process.execPath, FILL], { cwd, env: {} })).toMatchObject({ exitCode: 0 });
  closedAtEnd((await startEngine(join(cwd, '.local'))).stop);
  [browser, running] = await Promise.all([openBrowser(), openConsole(cwd, ORDERS)]);
  expect((await running.get('board')).status).toBe(200);
});

type Where = BrowserContextOptions & { path?: string; console?: RunningConsole; shows?: string };

/** What a page shows when its answers are there. */
const FOUND = 'table.board tbody tr, .findings li, .pair article';

/** Opens a page of a console in a context of its own, with its session, and waits until it shows something. */
async function openPage({ path = '/', console = running, shows = FOUND, ...options }: Where = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport: LAPTOP, ...options });
  const secret = await console.enter();
  await context.addInitScript(
    `location.origin === '${console.origin}' && sessionStorage.setItem('session', '${secret}')`,
  );
  const page = await context.newPage();
  await page.goto(`${console.origin}${path}`);
  await page.waitForSelector(shows);
  return page;
}

/** Acts on a page that is closed afterwards. @param where its path, or what else differs from the usual */
async function withPage(where: string | Where, act: (page: Page) => Promise<void>) {
  const page = await openPage(typeof where === 'string' ? { path: where } : where);
  await act(page);
  // A route may hold a request of the page that is answered too late for it.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** Acts on a page of a console of its own. @param args of `ailog console` */
async function withConsole(
  args: readonly string[],
  act: (page: Page, console: RunningConsole) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
) {
  const console = await openConsole(cwd, args, env);
  await withPage({ console }, (page) => act(page, console));
  await console.end();
}

/** Waits until an expression is true in the page. Its policy forbids Playwright's own way, which evaluates text. */
const until = (page: Page, expression: string) =>
  expect.poll(() => page.evaluate(`Boolean(${expression})`), { interval: 30 }).toBe(true);

/**
 * Waits until the page was not busy for several frames: what an answer asks for in turn follows after one. A search
 * without a text asks nothing.
 */
const idle = (page: Page) =>
  page.evaluate(`(async () => {
    for (let quiet = 0; quiet < 5; ) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      quiet = document.body.ariaBusy === 'false' || document.querySelector('.empty kbd') ? quiet + 1 : 0;
    }
  })()`);

/** Waits until the page is done, and shows a log with its checks. */
async function settled(page: Page) {
  await idle(page);
  await page.waitForSelector('.entry[aria-busy=false] ul.checks');
}

/** Opens a hit on the second page of a search. */
async function openFarHit(page: Page) {
  const hits = page.locator('.findings li');
  await settled(page);
  await page.click('text=Show more');
  await expect.poll(() => hits.count()).toBe(100);
  await hits.nth(70).locator('button').click();
  await settled(page);
}

const browserTest = test.runIf(hasBrowser);

describe.runIf(hasBrowser)('the console', () => {
  test('opens by its link once, in further tabs by the first one, and its script is at most 150 KiB', async () => {
    const other = await openConsole(cwd, ['--no-sync']);
    const origin = `${other.origin}/`;
    const { file } = other;
    const context = await browser.newContext({ locale: 'en-US' });
    const board = 'table.board tbody tr';
    const open = async (link: string, shows: string, where = context) => {
      const page = await where.newPage();
      await page.goto(link);
      await page.waitForSelector(shows);
      return page;
    };
    const page = await open(other.link, board);
    expect(page.url()).toBe(origin);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await context.cookies()).toEqual([]);
    const copies = page.locator('nav >> text=Copies');
    const ways: Parameters<typeof copies.click>[0][] = [{ modifiers: ['ControlOrMeta'] }, { button: 'middle' }];
    for (const options of ways) {
      const [tab] = await Promise.all([context.waitForEvent('page'), copies.click(options)]);
      await tab.waitForSelector('main >> text=Copies');
      await tab.reload();
      await tab.waitForSelector('main >> text=Copies');
    }
    await page.reload();
    await page.waitForSelector(board);
    const stranger = await browser.newContext({ locale: 'en-US' });
    // Nobody gets the session who only asks, in the browser of the reviewer either.
    for (const where of [stranger, context]) {
      for (const link of [other.link, origin]) {
        const closed = await open(link, 'text=This tab is not open.', where);
        expect(await closed.innerText('.notice')).toContain(`Open the file ailog-console-${other.port}-`);
      }
    }
    const opened = await open(`file://${file}`, board, stranger);
    expect(opened.url()).toBe(origin);
    // A secret that the server does not know ends the tab.
    await opened.evaluate("sessionStorage.setItem('session', 'of an earlier console')");
    await opened.reload();
    await opened.waitForSelector('text=This tab is not open.');
    expect(await opened.evaluate('sessionStorage.length')).toBe(0);
    await stranger.close();
    await other.end();
    expect(existsSync(file)).toBe(false);
    await page.waitForSelector('text=The console does not answer.');
    expect(await page.innerText('.notice')).toContain('Start ailog console again');
    await context.close();
    expect((await bundlePage()).get('/page.js')?.body.length).toBeLessThan(150 * 1024);
  });

  test('lets no script reach the network, nor make markup of text', async () => {
    await withPage('/', expectClosedPage);
  });

  test('gives nothing to a page on another port: neither to one that it goes to, nor to one that fetches', async () => {
    /** What the other server gets, such as a notebook of another user. */
    const got: string[] = [];
    const notebook = await startServer(({ rawHeaders, url }, response) => {
      got.push(`${url} ${rawHeaders.join(' ')}`);
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>notebook</title>');
    });
    const elsewhere = `${notebook.url}/`;
    const { origin } = running;
    await withPage('/', async (page) => {
      await page.evaluate(`location.href = '${elsewhere}'`);
      await page.waitForURL(elsewhere);
      const secret = await running.enter();
      const tries = (await page.evaluate(`(async () => {
        const said = [];
        const look = (name, promise) => promise.then((value) => said.push(name + value), () => said.push(name + 'refused'));
        const listening = new Promise((resolve, reject) => {
          const tabs = new BroadcastChannel('ailog-console');
          tabs.onmessage = window.onmessage = ({ data }) => resolve(JSON.stringify(data));
          tabs.postMessage('ask');
          setTimeout(reject, 3000);
        });
        for (const [name, options] of Object.entries({
          plain: {}, credentials: { credentials: 'include' }, header: { headers: { 'x-ailog-session': 'guess' } },
          enter: { method: 'POST', headers: { 'x-ailog-token': 'guess' } },
        })) await look(name + ' ', fetch('${origin}/api/board', options).then(({ status }) => status));
        const answer = await fetch('${origin}/api/board', { mode: 'no-cors', credentials: 'include' }).catch(() => ({ type: 'refused' }));
        said.push('opaque ' + answer.type);
        const frame = document.createElement('iframe');
        frame.src = '${origin}/';
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener('load', resolve));
        said.push('frame ' + (frame.contentDocument === null));
        const opened = window.open('${origin}/');
        for (const other of [frame.contentWindow, opened]) other?.postMessage('ask', '*');
        await listening.then((data) => said.push('told ' + data), () => said.push('told nothing'));
        said.push('opened ' + opened.closed);
        said.push('storage ' + sessionStorage.length + document.cookie);
        return said;
      })()`)) as string[];
      expect(tries).toEqual([
        ...['plain refused', 'credentials refused', 'header refused', 'enter refused', 'opaque refused'],
        ...['frame true', 'told nothing', 'opened true', 'storage 0'],
      ]);
      expect([got.length > 0, got.filter((one) => one.includes(secret) || /cookie|ailog/i.test(one))]).toEqual([
        true,
        [],
      ]);
    });
  });
});

describe.runIf(hasBrowser)('the board', () => {
  test('shows teams in rows that a finger hits, those to look at first, and how many have each reason', async () => {
    await withPage('/', async (page) => {
      const heights = () =>
        page.evaluate(
          `[...document.querySelectorAll('table.board tbody tr')].map((row) => row.getBoundingClientRect().height)`,
        );
      await expect.poll(heights).toEqual(competition.map(() => 24));
      const reasons = flagged.flatMap(({ archetype }) => archetypes[archetype].found);
      const chips = (await page.locator('[aria-label=Reasons] .chip').allInnerTexts()).map((text) =>
        text.split(/ (?=\d+$)/),
      );
      expect(Object.fromEntries(chips)).toEqual(
        Object.fromEntries(
          [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => [reason, String(all.length)]),
        ),
      );
      const explained = await page.locator('table.board .fact').first().getAttribute('title');
      expect(explained).toBe(reasonsToLook['no entries'].innocent);
      await page.click('button.chip:has-text("template")');
      await expect.poll(() => page.innerText('main .hint')).toContain(reasonsToLook.template.innocent);
      await page.click('button.chip:has-text("template")');
      const looks = await page
        .locator('table.board tbody tr')
        .evaluateAll((rows) => rows.map((row) => (row as unknown as { innerText: string }).innerText));
      expect(looks.slice(0, flagged.length).every((text) => !/^\d+ [^\t]*\t[^\t]*\t\t/.test(text))).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const cut = `['.target', '.progress'].filter((name) => (({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector(name)))`;
      await page.waitForSelector('text=/^as of /');
      await expect.poll(() => page.evaluate(cut)).toEqual([]);
      expect(await page.innerText('.target')).toBe('the local data');
      expect(await page.innerText('main [role=status]')).toMatch(
        /^(\d+) of \1 teams · 0 of \1 judged, 0 wait for a second/,
      );
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      // A telephone shows the name, the reasons and the whole strip.
      const row = page.locator('table.board tbody tr').first();
      await expect
        .poll(async () => (await row.innerText()).trim())
        .toMatch(/^\d+ Team \d+\s+no entries\s+1 silence, \d+ orders without a log$/);
      const { x = 0, width = 0 } = (await row.locator('svg.strip').boundingBox()) ?? {};
      expect([x >= 0, width > 300, x + width <= 390]).toEqual([true, true, true]);
    });
  });

  test('filters by reason, name and column, and keeps that in the URL and for the next team', async () => {
    await withPage('/', async (page) => {
      await page.click('button.chip:has-text("late")');
      await page.click('button.chip:has-text("early")');
      expect(await page.locator('table.board tbody tr').count()).toBe(6);
      await page.click('button.chip:has-text("early")');
      await page.click('th button:has-text("p95")');
      expect(new URL(page.url()).search).toBe('?reason=late&sort=p95+delay');
      const uids = await page.locator('table.board tbody a').allInnerTexts();
      expect(uids.sort()).toEqual(
        flagged
          .filter(({ archetype }) => (archetypes[archetype].found as readonly string[]).includes('late'))
          .map(({ uid }) => uid)
          .sort(),
      );
      const ordered = await page.locator('table.board tbody a').allInnerTexts();
      // The current row, which the text leaves out for a while, does not take the focus back.
      await press(page, 'j', '/', 'z', 'z', 'Backspace', 'Backspace', '3');
      expect(await page.inputValue('input[type=search]')).toBe('3');
      await press(page, 'Backspace', 'Escape', 'j', 'k', 'Enter');
      await page.waitForSelector('.chart');
      const team = () => page.innerText('main h2 >> nth=0');
      expect(await team()).toContain(ordered[0]);
      await press(page, 'j');
      await until(page, `document.querySelector('main h2').innerText.includes('${ordered[1]}')`);
      expect(page.url()).toMatch(/reason=late.*sort=p95/);
      expect(await page.innerText('.bar')).toContain('2 of 5 teams with “late”');
      await press(page, 'k');
      await until(page, `document.querySelector('main h2').innerText.includes('${ordered[0]}')`);
      // A key that is pressed before the teams are here works when they are.
      const release = await hold(page, '**/api/board');
      await page.reload();
      await page.waitForSelector('.chart');
      await press(page, 'j');
      release();
      await until(page, `document.querySelector('main h2').innerText.includes('${ordered[1]}')`);
      await press(page, 'u');
      await page.waitForSelector('table.board');
      expect(await page.locator('table.board tbody tr').count()).toBe(5);
    });
  });

  test('draws in the chart of a team the limit that was chosen, and of axes and lanes those with data', async () => {
    await withConsole([...ORDERS, '--within', '5m', '--no-sync'], async (page, chosen) => {
      // What is drawn in the colour of limits, and what else, without the times.
      await page.addInitScript(`
      const { fillText } = CanvasRenderingContext2D.prototype;
      globalThis.drawn = { limits: new Set(), others: new Set() };
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        const probe = document.createElement('canvas').getContext('2d');
        probe.fillStyle = getComputedStyle(this.canvas).getPropertyValue('--bad');
        drawn[this.fillStyle === probe.fillStyle ? 'limits' : 'others'].add(text);
        fillText.call(this, text, ...place);
      };`);
      const drawnOf = async (name: keyof typeof archetypes) => {
        await page.goto(`${chosen.origin}/team?uid=${uidOf(name)}`);
        await page.waitForSelector('.chart');
        await idle(page);
        return page.evaluate('[[...drawn.limits], [...drawn.others].filter((text) => /^[^1-9]+$/.test(text))]');
      };
      expect(await drawnOf('early')).toEqual([['−30 s', '5 min'], expect.not.arrayContaining(['silence'])]);
      expect(await drawnOf('absent')).toEqual([[], ['no log', 'silence', 'UTC']]);
      expect(await drawnOf('stopped')).toEqual([['5 min'], expect.arrayContaining(['no log', 'silence'])]);
    });
  });

  test('opens a team by its UID; a search from there is of all teams, and the team stays', async () => {
    const uid = flagged.at(-1)?.uid as string;
    await withPage('/', async (page) => {
      await press(page, '/');
      await page.keyboard.type(uid);
      await until(page, `document.querySelectorAll('table.board tbody tr').length === 1`);
      await press(page, 'Enter');
      await page.waitForSelector('.chart');
      expect(await page.innerText('main h2 >> nth=0')).toContain(uid);
      await press(page, '4', '/');
      await page.keyboard.type('the');
      await press(page, 'Enter');
      await settled(page);
      expect(await page.locator('.bars button').count()).toBeGreaterThan(30);
      const last = page.locator('.bars button').last();
      const other = await last.locator('span').first().innerText();
      await last.click();
      await page.waitForSelector(`button:has-text("only ${other}")`);
      await press(page, '2');
      await page.waitForSelector(`h2:has-text("${uid}")`);
      await page.goto(`${running.origin}/search?q=nobodywrotethis&of=${uid}`);
      await page.waitForSelector(`text=No log of ${uid} contains nobodywrotethis.`);
    });
  });

  test('opens a silence where it is clicked, with the logs beside it', async () => {
    await withPage(`/?q=${uidOf('stopped')}`, async (page) => {
      const strip = await page.waitForSelector('svg.strip');
      const { width = 0 } = (await strip.boundingBox()) ?? {};
      await strip.click({ position: { x: 0.8 * width, y: 5 } });
      await settled(page);
      expect(await page.innerText('.detail')).toMatch(/^Silence of 1 d 2\d h[\s\S]*last log before/);
      const { searchParams } = new URL(page.url());
      await press(page, 'n', 'n');
      await page.goBack();
      await page.waitForSelector('table.board');
      expect(Number(searchParams.get('until')) - Number(searchParams.get('from'))).toBeLessThan(2.2 * 86_400_000);
    });
  });

  test('ignores keys while somebody types, and lists them otherwise', async () => {
    await withPage('/', async (page) => {
      const listed = (isOpen: boolean) => expect.poll(() => page.locator('dialog[open]').count()).toBe(Number(isOpen));
      // The board has just been drawn, and the page around it has not been drawn again: the order stays the same.
      await page.waitForSelector('table.board');
      await press(page, '?');
      expect(await page.innerText('dialog')).toMatch(/Keys.*next team.*find a team.*Board.*Team.*Copies.*Search/s);
      // While they are listed, they do nothing.
      await press(page, '3', 'j');
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/');
      await press(page, '?');
      await listed(false);
      await press(page, '?');
      await listed(true);
      await press(page, 'Escape');
      await listed(false);
      await press(page, '/');
      await page.keyboard.type('3?4j');
      expect(await page.inputValue('input[type=search]')).toBe('3?4j');
      expect([await page.locator('dialog').count(), new URL(page.url()).pathname]).toEqual([0, '/']);
      await press(page, 'Escape', '?');
      await listed(true);
      await press(page, 'Escape');
      // A list of orders is chosen, not typed.
      await page.focus('input[type=file]');
      await press(page, '3');
      await page.waitForSelector('h2:has-text("Copies")');
    });
  });
});

browserTest('findings that say the same are one line, a filter lists each, and only facts are red', async () => {
  await withPage(`/team?uid=${uidOf('absent')}`, async (page) => {
    const lines = page.locator('.findings li');
    await lines.first().waitFor();
    const [silence, orders = '', ...more] = await lines.allInnerTexts();
    expect([silence, more]).toEqual([expect.stringMatching(/ silence 2 d \d+ h, \d+ orders$/), []]);
    expect(orders).toMatch(/^\s*\d+\W+\d+ Nov \d+ orders without a log$/);
    const count = Number(/(\d+) orders/.exec(orders)?.[1]);
    await press(page, 'n', 'n');
    await idle(page);
    expect(await page.innerText('.findings [aria-current]')).toBe(orders);
    const inkOf = (kind: string) => page.evaluate(`getComputedStyle(document.querySelector('.shape.${kind}')).stroke`);
    expect(await inkOf('no-log')).not.toBe(await inkOf('silence'));
    await page.click('.chip:has-text("no log")');
    await expect.poll(() => lines.count()).toBe(count);
  });
});

describe.runIf(hasBrowser)('each team of the demo', () => {
  /** The findings that show a reason on the timeline of a team. */
  const KINDS: Readonly<Record<string, string>> = {
    'no entries': 'no log',
    'no log near': 'no log',
    'few named': 'no',
    silent: 'silence',
    repeats: 'repeat',
    copies: 'copy',
    "others' orders": "others' order",
  };

  test('is found and read by keyboard alone, from the board to its log', async () => {
    await withPage('/', async (page) => {
      for (let place = 0; place < flagged.length; place += 1) {
        await press(page, 'j');
        await until(
          page,
          `document.querySelector('tr.at')?.rowIndex === ${place + 1} && document.activeElement.closest('tr.at')`,
        );
        const uid = (await page.innerText('tr.at a')).trim();
        const archetype = archetypeOf(uid);
        expect(archetypes[archetype].found).not.toEqual([]);
        await press(page, 'Enter');
        await until(
          page,
          `document.querySelector('main h2')?.innerText.startsWith('${uid}') && document.querySelector('.findings li')`,
        );
        const chips = (await page.locator('.findings .chip').allInnerTexts()).join('\n');
        // That logs are many is no finding at one of them.
        for (const reason of archetypes[archetype].found.filter((one) => one !== 'many logs'))
          expect([uid, chips]).toEqual([uid, expect.stringContaining(KINDS[reason] ?? reason)]);
        await press(page, 'n');
        await page.waitForSelector('.detail h2');
        if (archetype !== 'absent') await page.waitForSelector('article.entry .line');
        await press(page, 'u');
        await until(page, `document.querySelector('tr.at a')?.innerText.trim() === '${uid}'`);
      }
    });
  });
});

describe.runIf(hasBrowser)('a view', () => {
  // biome-ignore format: one case a line
  test.each([
    ['the board', '/?reason=late&sort=median', []],
    ['the timeline', `/team?uid=${late}&kind=late`, ['n', 'n', 'n', '+']],
    ['copies', `/copies?uid=${copier}`, ['n', 'n']],
    ['a search', '/search?q=funding%7C资金费率', ['n', 'n']],
    ['a sample', `/search?uid=${late}&n=60&seed=x`, ['n']],
  ])('of %s is the same after a reload, and by its link', async (_name, path, keys) => {
    const page = await openPage({ path });
    for (const key of keys) {
      await press(page, key);
      await idle(page);
    }
    const seen = async (one: Page) => {
      await idle(one);
      return one.innerText('main');
    };
    const before = await seen(page);
    expect(before.length).toBeGreaterThan(200);
    const url = page.url();
    await page.reload();
    expect(await seen(page)).toBe(before);
    const link = await openPage({ path: url.slice(new URL(url).origin.length) });
    expect(await seen(link)).toBe(before);
    for (const one of [page, link]) await one.context().close();
  });

  test('of a UID that is no team says so', async () => {
    await withPage('/', async (page) => {
      await page.goto(`${running.origin}/team?uid=404`);
      await idle(page);
      expect((await page.innerText('main')).trim()).toBe(
        'UID 404 has no logs and no orders, and is not on the allowlist.',
      );
    });
  });

  test('never shows an old answer over a newer one', async () => {
    await withPage(`/team?uid=${late}&kind=late`, async (page) => {
      const held = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      let first: unknown;
      for (const event of ['requestfinished', 'requestfailed'] as const) {
        page.on(event as 'requestfailed', (request) => request === first && ended.resolve());
      }
      await page.route(/\/api\/detail\?/, async (route) => {
        if (first === undefined) {
          first = route.request();
          await held.promise;
        }
        await route.continue().catch(() => {});
      });
      await press(page, 'n');
      await until(page, 'document.querySelector(".findings [aria-current]")');
      await expect.poll(() => first).toBeDefined();
      await press(page, 'n');
      await settled(page);
      const title = await page.innerText('.detail h2');
      const text = await page.innerText('.body');
      held.resolve();
      await ended.promise;
      await idle(page);
      expect([await page.innerText('.detail h2'), await page.innerText('.body')]).toEqual([title, text]);
      expect(new URL(page.url()).searchParams.get('at')).toBe(`o${title.replace('Order ', '')}`);
    });
  });

  test('pins the log that is shown, and while the next one is read, that one', async () => {
    await withPage(`/team?uid=${late}&kind=late`, async (page) => {
      await press(page, 'n');
      await settled(page);
      const release = await hold(page, /\/api\/detail\?/);
      await press(page, 'n');
      await until(page, 'document.body.ariaBusy === "true"');
      await press(page, 'x');
      const drafts = () =>
        globSync(join(cwd, '.local/rows.drafts/*/*.json')).map((path) => [
          basename(path, '.json'),
          JSON.parse(readFileSync(path, 'utf8')),
        ]);
      expect(drafts()).toEqual([]);
      release();
      await settled(page);
      const [name] = /\d{13}-[0-9a-f]{32}/.exec(await page.innerText('.command code')) ?? [];
      await expect.poll(drafts).toEqual([[late, { pins: [name] }]]);
      await press(page, 'x');
      await expect.poll(drafts).toEqual([]);
    });
  });

  test('has every digit of an order id in title, URL, body and saved file', async () => {
    await withPage(`/team?uid=${late}&kind=late`, async (page) => {
      await press(page, 'n');
      await settled(page);
      const id = (await page.innerText('.detail h2')).replace('Order ', '');
      expect(id).toMatch(/^\d{18}$/);
      expect(readFileSync(join(cwd, '.local/demo-orders.csv'), 'utf8')).toContain(`\n${late},${id},`);
      expect(await page.innerText('.body')).toContain(`"orderId": ${id},`);
      await page.click('.entry summary');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Save the exact body')]);
      expect(readFileSync(await download.path(), 'utf8')).toMatch(new RegExp(`"orderId":${id}\\b`));
    });
  });
});

browserTest('a view is copied as a link and as CSV, and a chart is a table too', async () => {
  const copied = async (page: Page, name: string) => {
    const said = page.waitForSelector(`button[title$="${name}"]:has-text("copied")`);
    await Promise.all([said, page.click(`button[title$="${name}"]`)]);
    return String(await page.evaluate('navigator.clipboard.readText()'));
  };
  const permissions = ['clipboard-read', 'clipboard-write'];
  await withPage({ path: '/?reason=late&sort=p95', permissions }, async (page) => {
    expect(await copied(page, 'link')).toBe(page.url());
    const [head, ...rows] = (await copied(page, 'CSV')).split('\n');
    expect(head).toMatch(/^"uid","team","status","verdicts","look at","logs","orders","covered %",.*,"p95 delay, s",/);
    expect(rows.map((row) => row.split(',')[0])).toEqual(
      (await page.locator('table.board tbody a').allInnerTexts()).map((uid) => `"${uid}"`),
    );
    for (const row of rows) expect(row).toMatch(/(,\d+(\.\d+)?){8}$/);
    await page.goto(`${running.origin}/team?uid=${late}&kind=late`);
    await page.waitForSelector('.findings li');
    expect(await page.title()).toBe(`${late} · Team · Review console`);
    expect(await page.innerText('.findings')).toContain('times in UTC');
    const found = await page.locator('.findings li').count();
    const [, ...findings] = (await copied(page, 'CSV')).split('\n');
    expect(findings).toHaveLength(found);
    expect(findings[0]).toMatch(/^"\d+","\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ","late",\d+(\.\d+)?,"","'\d{18}"$/);
    await page.click('summary:has-text("The orders as a table")');
    const orders = Number(/(\d+) orders/.exec(await page.innerText('.bar'))?.[1]);
    await expect.poll(() => page.locator('.sheet tbody tr').count()).toBe(orders);
  });
});

describe.runIf(hasBrowser)('copies', () => {
  test('open on copies between teams, with names, a legend, and a name over each side', async () => {
    await withPage('/copies', async (page) => {
      await page.waitForSelector('.pair article >> nth=1');
      const [original, copy] = await page.locator('.pair h3').allInnerTexts();
      expect([original, copy]).toEqual([
        expect.stringMatching(/^received first: \d+ Team \d\d$/),
        expect.stringMatching(/^received later: \d+ Team \d\d$/),
      ]);
      expect(original?.slice(16)).not.toBe(copy?.slice(16));
      expect(await page.innerText('.bar')).toMatch(
        /copies, more than 60 s later.*within 60 s.*nobody can say whose they are.*repeats of its own/s,
      );
    });
  });

  test('of a team stand beside the originals, with equal output and the time', async () => {
    await withPage(`/copies?uid=${copier}`, async (page) => {
      await page.waitForSelector('.pair article >> nth=1');
      expect(await page.innerText('.says')).toMatch(/^the same output, received .* earlier from \d{4}$/);
      expect(await page.locator('.pair section.equal').count()).toBeGreaterThanOrEqual(2);
      expect(await page.locator('.pair mark').count()).toBeGreaterThan(0);
      // The equal text stands before what differs.
      for (const side of await page.locator('.pair article').all())
        expect(await side.locator('section').first().getAttribute('class')).toBe('equal');
      const link = page.locator('.pair a').first();
      const [, random] = (await link.getAttribute('title'))?.split('-') ?? [];
      expect(await link.innerText()).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\S+Z ${random?.slice(0, 8)}$`));
      expect(await page.locator('.matrix .tied').allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^\d+ at once$/)]),
      );
    });
  });
});

browserTest('the pairs of a cell are never looked up in another one', async () => {
  await withPage('/copies', async (page) => {
    const wrong: string[] = [];
    page.on('response', (response) => void (response.ok() || wrong.push(response.url())));
    await page.waitForSelector('.pair article');
    const release = await hold(page, /\/api\/pairs\?/);
    await press(page, 'j');
    await until(page, 'document.body.ariaBusy === "true"');
    await press(page, 'n');
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    release();
    await idle(page);
    await page.waitForSelector('.pair article');
    expect(wrong).toEqual([]);
  });
});

browserTest('a search marks its hits, however they are spelled', async () => {
  // A Cyrillic letter, and capitals.
  await withPage(`/search?q=${encodeURIComponent('FUND\u0456NG')}`, async (page) => {
    await settled(page);
    for (const place of ['.findings li', '.entry'])
      expect((await page.locator(`${place} mark`).first().innerText()).toLowerCase()).toBe('funding');
    expect(await page.locator('.bars button').count()).toBeGreaterThan(0);
  });
});

browserTest('a link to a hit that is far down restores it, and no old hits come after newer ones', async () => {
  await withPage('/search?q=funding', async (page) => {
    const hits = page.locator('.findings li');
    await openFarHit(page);
    const seen = await page.innerText('.entry');
    await page.reload();
    await expect.poll(() => hits.count()).toBe(100);
    await idle(page);
    expect(await page.innerText('.entry')).toBe(seen);
    const release = await hold(page, /\/api\/search\?.*before/);
    const answered = page.waitForResponse(/\/api\/search\?.*before/);
    await page.click('text=Show more');
    await page.locator('.bars button').first().click();
    await expect.poll(() => hits.count()).toBe(50);
    release();
    await (await answered).finished();
    await idle(page);
    expect(await hits.count()).toBe(50);
  });
});

browserTest('a link to a hit that is far down restores it, even if new figures come meanwhile', async () => {
  let at = '';
  await withPage('/search?q=funding', async (page) => {
    await openFarHit(page);
    at = page.url();
  });
  const searches: string[] = [];
  await withPage('/', async (page) => {
    const held = Promise.withResolvers<void>();
    let isHeld = true;
    page.on('request', (request) => request.url().includes('/api/search?') && searches.push(request.url()));
    await page.route(/\/api\/search\?.*before/, async (route) => {
      if (isHeld) await held.promise;
      await route.continue();
    });
    await page.route('**/api/status', async (route) => {
      // Node asks the resolver of the system, which does not know the name of the console.
      const { host, port } = new URL(route.request().url());
      const headers = { ...(await route.request().allHeaders()), host };
      const response = await route.fetch({ url: `http://127.0.0.1:${port}/api/status`, headers });
      const status = (await response.json()) as { view: number };
      await route.fulfill({ response, json: { ...status, view: status.view + Number(!isHeld) } });
    });
    await page.goto(at);
    await expect.poll(() => searches.length).toBe(2);
    isHeld = false;
    await page.evaluate('dispatchEvent(new Event("changed"))');
    await expect.poll(() => searches.length).toBeGreaterThan(2);
    await idle(page);
    held.resolve();
    await expect.poll(() => page.locator('.findings li').count()).toBe(100);
    await idle(page);
    expect(new Set(searches).size).toBe(2);
  });
  // The page of each view, and what continues it: nothing is asked before the page knows which figures are the newest.
  expect(searches).toHaveLength(4);
});

describe.runIf(hasBrowser)('accessibility', () => {
  /** What no scrolling part clips, axe can judge. The colours stay what they are. */
  const UNCLIPPED = `{ const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, *::before { overflow: visible !important; content-visibility: visible !important; position: static !important; } .columns.columns { grid-template-columns: 40rem 60rem; } .judging { grid-template-columns: 110rem 40rem; } .matrix, .matrix th { background: none; border: 0; } body, main, .matrix, .bars, .judging, .judging > *, .columns, .columns > * { height: auto !important; max-height: none !important; } .unseen, .top h1, input[type=file] { display: none; } .findings button, .board :is(td, th), .name { white-space: normal !important; max-width: none; height: auto !important; }');
    document.adoptedStyleSheets = [sheet]; }`;
  /** Axe judges single letters too. These are its own values but for `ignoreLength`: it takes no part of them. */
  const SINGLE_LETTERS = `axe.configure({ checks: [{ id: 'color-contrast', options: {
    ignoreLength: true, ignoreUnicode: true, ignorePseudo: false, boldValue: 700, boldTextPt: 14, largeTextPt: 18,
    contrastRatio: { normal: { expected: 4.5 }, large: { expected: 3 } },
    pseudoSizeThreshold: 0.25, shadowOutlineEmMax: 0.2, textStrokeEmMin: 0.03,
  } }] })`;
  const PATHS = [
    '/?queue=unjudged',
    `/team?uid=${late}&kind=late&at=x&verdict=1`,
    '/copies',
    '/search?q=funding',
    `/search?uid=${late}&n=5&seed=1`,
    '/search',
  ];

  // 640 × 400 is a window of 1280 × 800 at 200 %.
  test.each(
    (['light', 'dark'] as const).flatMap((theme) =>
      [
        [1280, 800],
        [640, 400],
        [390, 844],
      ].map(([width = 0, height = 0]) => ({ theme, width, height })),
    ),
  )('axe finds nothing and leaves nothing undecided: $theme, $width × $height', async ({ theme, width, height }) => {
    const look = async (page: Page) => {
      for (const path of PATHS) {
        await page.goto(`${running.origin}${path}`);
        await page.waitForSelector('table.board tbody tr, .findings li, .empty kbd');
        if (path.includes('at=x')) await press(page, 'n');
        if (/team|search[?]/.test(path)) await settled(page);
        await idle(page);
        const top = await page.evaluate(
          '[document.querySelector(".top").offsetHeight, document.documentElement.scrollWidth]',
        );
        expect([path, top]).toEqual([path, [expect.any(Number), width]]);
        expect((top as number[])[0]).toBeLessThanOrEqual(height / 10);
        await press(page, ...(path === PATHS[0] ? ['?'] : []));
        const rules = "{ rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: true } } }";
        expect([path, await runAxe(page, rules)]).toEqual([path, [[], []]]);
        expect([path, await touching(page)]).toEqual([path, []]);
        await press(page, 'Escape');
        // The colours are the same in each size. What axe cannot judge in one layout, it must in the other.
        if (width < LAPTOP.width) continue;
        const contrast = `(${SINGLE_LETTERS}, { runOnly: ['color-contrast'] })`;
        const [wrong, unsure] = await runAxe(page, contrast);
        await page.setViewportSize({ width: 2600, height: 8000 });
        await page.evaluate(UNCLIPPED);
        await idle(page);
        const [wrongThere, unsureThere] = await runAxe(page, contrast);
        const undecided = unsure.filter((one) => unsureThere.includes(one));
        expect([path, wrong, wrongThere, undecided]).toEqual([path, [], [], []]);
        await page.setViewportSize({ width, height });
      }
    };
    await withPage({ viewport: { width, height }, colorScheme: theme }, look);
  });
});

describe.runIf(hasBrowser)('hostile logs', () => {
  const attack = ATTACKS.join('');
  const T0 = Date.parse('2025-11-14T09:00:00Z');

  test('create no element, request or dialog in any field, and large bodies open', async () => {
    const local = await localWorld();
    const [team, other] = [await local.oldTeam(), await local.oldTeam()];
    await local.ailog(['allowlist', 'add', team.uid, '--team', attack.replace(/\p{C}/gu, '').slice(0, 90)]);
    const fields = {
      stage: attack,
      model: attack,
      explanation: attack,
      input: { [attack]: attack },
      output: { [attack]: [attack, `${attack}\n${attack}`] },
    };
    const hostile = await local.uploadAt(team, T0, { ...fields, orderId: 590480926522704171n });
    await local.uploadAt(other, T0 + 600_000, { ...fields, orderId: 590480926522704171n });
    const body = (output: string) => logText({ orderId: 1, model: 'm 1' }, { output });
    const rest = (from: string) => 1024 * 1024 - body(from).length;
    const bodies = [
      body(`{"a":"${'x'.repeat(rest('{"a":""}'))}"}`),
      body(`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`),
      body(`{"a":[${'1,'.repeat(500_000)}1]}`),
    ];
    // One after the other: together, a busy machine would take longer than an upload may.
    const big: string[] = [];
    for (const [place, text] of bodies.entries()) big.push(await local.uploadAt(team, T0 + (place + 1) * 1000, text));
    const console = await openConsole(local.folder);
    const page = await openPage({ console });
    const happened = watch(page, console.origin);
    const expectHarmless = async () => {
      const names = (await page.evaluate(
        `[...new Set([...document.body.querySelectorAll('*')].map(({ localName }) => localName))].sort()`,
      )) as string[];
      const known =
        'a article aside bdi button canvas code dd details dialog div dl dt fieldset figcaption figure form h1 h2 h3 header input kbd label li main mark nav ol p path rect section span strong summary svg table tbody td th thead tr ul';
      expect(names.filter((name) => !known.split(' ').includes(name))).toEqual([]);
      expect(await page.evaluate('document.body.textContent')).not.toMatch(/\p{Bidi_Control}|\u200b|(?!\n)\p{Cc}/u);
      expect(happened).toEqual([]);
    };
    await page.setInputFiles('input[type=file]', {
      name: `${attack.replaceAll('/', ' ')}.csv`,
      mimeType: '',
      buffer: Buffer.from(
        `uid,order_id,time,symbol,side\n${team.uid},590480926522704171,2025-11-14 08:00:00,${attack.replaceAll('"', '')},x\n`,
      ),
    });
    await page.waitForSelector('.orders .tag');
    await until(
      page,
      `document.querySelector('table.board thead').innerText.includes('covered') && /late/.test(document.querySelector('.bar').innerText)`,
    );
    await expectHarmless();
    for (const path of [
      `/team?uid=${team.uid}&at=o590480926522704171`,
      `/team?uid=${team.uid}&at=e${hostile}`,
      `/copies?uid=${other.uid}`,
      '/search?q=onerror',
      `/search?q=${encodeURIComponent(attack.slice(0, 60).replaceAll('|', ''))}`,
    ]) {
      await page.goto(`${console.origin}${path}`);
      await page.waitForSelector('.entry ul.checks, .pair article:nth-of-type(2), .empty');
      await expectHarmless();
    }
    expect(await page.evaluate('({}).polluted')).toBe(undefined);
    for (const id of big) {
      await page.goto(`${console.origin}/team?uid=${team.uid}&at=e${id}`);
      await settled(page);
      const shown = await page.locator('.body .line').count();
      expect(shown).toBeGreaterThan(5);
      await page.click('text=Show more of the body');
      await until(page, `document.querySelectorAll('.body .line').length > ${shown}`);
      const saved = await ask(console.origin, `/api/body?uid=${team.uid}&id=${id}`, await console.headers());
      const { Item } = await local.db.send(
        new GetCommand({ TableName: localTables.aiLogs, Key: { uid: team.uid, entryId: id } }),
      );
      expect(saved.text.length).toBe(Number(Item?.bodyBytes));
    }
    await page.context().close();
    await console.end();
  });
});

describe.runIf(hasBrowser)('order lists that are dropped', () => {
  test('of several accounts at once ask for the team of each, and none hides another', async () => {
    const [one, other] = competition.map(({ uid }) => uid) as [string, string];
    const listOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    const order = (id: number) => `order_id,time\n${id},2025-11-14 08:00:00\n`;
    await withConsole(['--no-sync', ...ORDERS], async (page) => {
      const notices = page.locator('.orders form.notice');
      const choose = (...files: readonly ReturnType<typeof listOf>[]) =>
        page.setInputFiles('input[type=file]', [...files]);
      await choose(
        listOf('orders.csv', `Orders of one account\n\n${order(11)}`),
        listOf('broken.csv', 'uid,order_id,time\n1,x,1\n'),
      );
      await until(page, `document.querySelectorAll('.orders form.notice').length === 2`);
      await choose(listOf('orders.csv', order(12)));
      await until(page, `document.querySelectorAll('.orders form.notice').length === 3`);
      const asking = notices.filter({ hasText: 'All its orders are of UID' });
      for (const uid of [one, other]) {
        await asking.first().locator('input').fill(uid);
        await asking.first().locator('text=Add').click();
        await page.waitForSelector(`.orders .tag:has-text("orders.csv of ${uid}")`);
      }
      await until(page, `document.querySelectorAll('.orders form.notice').length === 1`);
      expect(await notices.innerText()).toMatch(/^broken\.csv has invalid lines:/);
      await page.click(`[title="Leave out orders.csv of ${one}"]`);
      await until(page, `document.querySelectorAll('.orders .tag').length === 2`);
      expect(await page.innerText('.orders')).toContain(`orders.csv of ${other}`);
    });
  });

  test('are told as they were read: the zone and where it stands, and states that are not known', async () => {
    const text = `Time Zone:UTC+8\nuid,order_id,time,state\n${competition[0]?.uid},21,2025-11-14 08:00:00,ghosted\n`;
    await withConsole(['--no-sync'], async (page) => {
      await page.setInputFiles('input[type=file]', { name: 'own.csv', mimeType: '', buffer: Buffer.from(text) });
      await page.waitForSelector('.orders .tag:has-text("own.csv")');
      await page.click('.orders summary');
      const said = await page.innerText('.orders details');
      expect(said).toContain('Times without a time zone were read as UTC+8, from line 1.');
      expect(said).toContain('States that are not known: "ghosted" (1).');
    });
  });
});

browserTest('every team to look at is judged by keyboard, with at most 12 keys besides the text', async () => {
  const judge = async (page: Page, console: RunningConsole) => {
    await press(page, 'j', 'Enter');
    for (let place = 0; place < flagged.length; place += 1) {
      const keys: string[] = [];
      const pressOne = (key: string) => {
        keys.push(key);
        return page.keyboard.press(key);
      };
      await page.waitForSelector('.findings li, .findings .hint');
      const uid = new URL(page.url()).searchParams.get('uid');
      const archetype = archetypeOf(uid);
      await pressOne('n');
      await page.waitForSelector('.detail h2');
      await idle(page);
      await pressOne('x');
      await pressOne(archetype === 'copying' ? 'd' : 'e');
      await page.waitForSelector('form .chip[aria-pressed=true]');
      await pressOne('t');
      await page.keyboard.type(`what was found about ${uid}`);
      if (archetype === 'copying') {
        await pressOne('Tab');
        await page.keyboard.type('the copies, side by side');
      }
      await pressOne('Control+Enter');
      await page.waitForSelector('.next');
      await pressOne('Enter');
      await until(page, `!location.search.includes('uid=${uid}')`);
      expect(keys.length).toBeLessThanOrEqual(12);
    }
    await page.waitForSelector(`text=${flagged.length} of ${competition.length} judged`);
    // Nobody has a reason to look at the next team, so none is chosen for the reviewer.
    await page.waitForSelector('form .chip');
    await press(page, 'e', 'r');
    await page.waitForSelector('form p.failed');
    expect(await page.locator('form p.failed').allInnerTexts()).toEqual(['Choose a reason: c goes through them.']);
    expect(await page.locator('form .chip[aria-pressed=true]').count()).toBe(0);
    const judged = Object.entries((await console.get('verdicts')).answer).filter(
      ([, one]) => (one as { own?: string }).own !== undefined,
    );
    expect(judged.map(([uid]) => uid).sort()).toEqual(flagged.map(({ uid }) => uid).sort());
    const copying = flagged.filter(({ archetype }) => archetype === 'copying');
    for (const { uid } of copying) {
      const { answer } = await console.get('case', { uid });
      expect([answer.records[0].verdict, answer.records[0].evidence.file, answer.records[0].entries]).toEqual([
        'disqualify',
        answer.statements[0],
        [expect.any(String)],
      ]);
    }
  };
  await withConsole(['--write', ...ORDERS], judge, { AILOG_REVIEWER: 'ann' });
});

describe.runIf(hasBrowser)('without anything to show', () => {
  test('the screens say what is missing', async () => {
    const local = await localWorld();
    const console = await openConsole(local.folder);
    const shows = '.empty:has-text("There are no teams and no logs.")';
    await withPage({ console, shows }, async (page) => {
      for (const [path, says] of [
        ['/copies', 'text=No logs repeat each other.'],
        ['/search?q=x', 'text=No log contains x.'],
        ['/nowhere', 'text=There is no such screen.'],
        ['/search', '.empty:has-text("type a text, such as funding, and press Enter")'],
      ] as const) {
        await page.goto(`${console.origin}${path}`);
        await page.waitForSelector(says);
      }
      const long = 'a long name '.repeat(8).trim();
      await local.ailog(['allowlist', 'add', '77', '--team', long]);
      await console.post('syncNow', {});
      await page.goto(`${console.origin}/`);
      const name = page.locator('.board .name');
      await name.waitFor();
      await press(page, 'j');
      await until(page, 'document.activeElement.innerText === "77"');
      expect((await name.boundingBox())?.width).toBeLessThan(LAPTOP.width / 5);
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.board .name'), '::after').content`)).toBe(
        `"${long}"`,
      );
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await page.title()).toBe('Board · Review console');
      await page.goto(`${console.origin}/team?uid=77`);
      await page.waitForSelector('text=/^Nothing to look at.$/');
    });
    await console.end();
  });
});
