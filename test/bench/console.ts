/**
 * `npm run bench console`: measures the review console in a real browser, over `BENCH_ROWS` generated rows (default:
 * 100 000). docs/evidence.md has the goals. It needs about 1 GB of disk for a million rows.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { bundlePage } from '../../cli/console/server/serve.ts';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { openBrowser } from '../setup/browser.ts';
import setUpBrowser from '../setup/chromium.ts';
import { localWorld, MAIN } from '../setup/world.ts';
import { ROWS, TEAMS, uidOf, WORDS, writeRows } from './rows.ts';

const ROUNDS = 40;

/** Starts the console in a process of its own. @returns its link, its process, and the time until it listened in ms */
async function startConsole(cwd: string, endpoint: string) {
  const began = performance.now();
  const args = [MAIN, 'console', '--no-open', '--no-sync', '--json', '--orders', 'orders.csv'];
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, DYNAMODB_ENDPOINT: endpoint } });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => resolve(JSON.parse(text).url));
    child.once('close', () => reject(new Error(said)));
  });
  return { link, child, listening: performance.now() - began };
}

/** Measures requests that the page makes, one after another. @returns their times in ms */
const ask = (page: Page, paths: readonly string[]): Promise<number[]> =>
  page.evaluate(`(async () => {
    const times = [];
    for (const path of ${JSON.stringify(paths)}) {
      const began = performance.now();
      const answer = await fetch(path, { headers: { 'x-ailog-session': sessionStorage.getItem('session') } });
      await answer.text();
      if (!answer.ok) throw new Error(path + ': ' + answer.status);
      times.push(performance.now() - began);
    }
    return times;
  })()`);

/** Presses j on the board, or scrolls it. @returns the times until the next frame in ms */
const frames = (page: Page, act: string): Promise<number[]> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const times = [];
    for (let round = 0; round < ${ROUNDS}; round += 1) {
      await frame();
      const began = performance.now();
      ${act};
      await frame();
      times.push(performance.now() - began);
    }
    return times;
  })()`);

export async function measureConsole(): Promise<string[]> {
  await setUpBrowser();
  const local = await localWorld();
  await writeRows(local);
  const browser = await openBrowser();
  const open = async () => {
    const started = await startConsole(local.folder, local.endpoint);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    const opened = performance.now();
    await page.goto(started.link);
    await page.locator('table.board tbody tr').first().waitFor({ timeout: 600_000 });
    return { ...started, page, usable: performance.now() - opened };
  };
  const first = await open();
  const ended = once(first.child, 'exit');
  first.child.kill();
  await ended;
  const { child, page, listening, usable } = await open();
  try {
    const word = (n: number) => WORDS[n % WORDS.length];
    const paths: Record<string, (n: number) => string> = {
      'page of the board': () => '/api/board',
      'timeline of a team': (n) => `/api/timeline?uid=${uidOf(n * 7)}`,
      'matrix of copies': () => '/api/copies',
      'search a word': (n) => `/api/search?q=${word(n)}`,
      'search two words': (n) => `/api/search?q=${word(n)}%20${word(n + 3)}`,
      'hits of each team': (n) => `/api/hits?q=${word(n)}`,
    };
    const groups: Record<string, number[]> = {};
    await ask(page, ['/api/search?q=warm', '/api/hits?q=warm']);
    for (const [name, path] of Object.entries(paths))
      groups[name] = await ask(
        page,
        Array.from({ length: ROUNDS }, (_, n) => path(n)),
      );
    const press = "dispatchEvent(new KeyboardEvent('keydown', { key: 'j', cancelable: true }))";
    groups['j to the next frame'] = await frames(page, press);
    groups['scroll frame'] = await frames(page, 'scrollBy(0, 60)');
    const script = (await bundlePage()).get('/page.js')?.body.length ?? 0;
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    return [
      `Review console over ${ROWS} rows and orders of ${TEAMS} teams, in Chromium ${browser.version()}`,
      `start → listening     ${ms(listening)}`,
      `open → board usable   ${ms(usable)}; ${ms(first.usable)} when the figures were made`,
      ...Object.entries(groups).map(
        ([name, times]) => `${name.padEnd(21)} median ${ms(quantile(times, 0.5))}, p95 ${ms(quantile(times, 0.95))}`,
      ),
      `JavaScript            ${(script / 1024).toFixed(0)} KiB`,
      `memory of the server  ${Math.round(Number(kib) / 1024)} MiB at its peak`,
    ];
  } finally {
    child.kill();
    await browser.close();
    await local.close();
  }
}
