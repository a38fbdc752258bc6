/**
 * `npm run bench console`: measures the review console in a real browser, over `BENCH_ROWS` generated rows (default:
 * 100 000). docs/performance.md has the goals. It needs about 1 GB of disk for a million rows.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { findLeaders } from '../../cli/analysis/near.ts';
import { bundlePage } from '../../cli/console/bundlePage.ts';
import { collectRows } from '../../cli/rows/collectRows.ts';
import { emptyManifest, rowStore, type StoredFile } from '../../cli/rows/rowStore.ts';
import { openTables, storedLeaders, storeQuery } from '../../cli/rows/rowTables.ts';
import { localPaths } from '../../cli/target/data.ts';
import { composeEntry } from '../../functions/ailog/entry.ts';
import { LEAF_COLUMNS, rowFile } from '../../functions/features/rowFile.ts';
import { openBrowser } from '../setup/browser.ts';
import setUpBrowser from '../setup/chromium.ts';
import { openLocalData } from '../setup/commandLine.ts';
import { quantile } from './measure.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
const TEAMS = 200;
const ROUNDS = 40;

/** The time of the first log, and the time over which the others are spread, in milliseconds. */
const [START_MS, SPAN_MS] = [1_763_000_000_000, 14 * 86_400_000];

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

const WORDS =
  'trend breaks volume supports resistance momentum risk holds funding spread basis depth flow ask bid open interest range mean reverts hedge trims adds waits exits enters long short scalp swing'.split(
    ' ',
  );

/** Returns a number below a limit, always the same for the same arguments. */
function pick(n: number, place: number, limit: number): number {
  let hash = Math.imul(n ^ Math.imul(place + 1, 0x9e37_79b1), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % limit;
}

const uidOf = (n: number) => String(5_000_000 + (n % TEAMS));
const timeOf = (n: number) => START_MS + Math.floor((n * SPAN_MS) / ROWS);
const words = (n: number, count: number) =>
  Array.from({ length: count }, (_, place) => WORDS[pick(n, place, WORDS.length)]).join(' ');

/** Returns the nth entry. It names an order that was placed up to 45 s earlier; one in fifty is an hour late. */
function entryOf(n: number) {
  const log = {
    orderId: String(n + 1),
    stage: 'Decision Making',
    model: `GPT-5-mini-${pick(n, 90, 5)}`,
    input: { prompt: 'Judge the market.', price: pick(n, 91, 100_000) },
    output: { action: words(n, 1), reason: words(n, 40) },
    explanation: words(n + ROWS, 20),
  };
  const at = timeOf(n);
  return composeEntry(log, {
    ...{ uid: uidOf(n), accessKey: 'ailog_bench', timestamp: String(at), signature: String(n).padStart(44, '0') },
    ...{ receivedAt: at + 100, locale: 'en-US', sourceIp: '192.0.2.1', query: '' },
    rawBody: Buffer.from(JSON.stringify(log)),
  });
}

const orderOf = (n: number) => {
  const placed = timeOf(n) - (pick(n, 92, 50) === 0 ? 3_600_000 : pick(n, 93, 45_000));
  return `${uidOf(n)},${n + 1},${placed},${1 + pick(n, 94, 9)},${100 + pick(n, 95, 900)}\n`;
};

/** Writes the rows as a sync does, with their leaders of near-duplicates. */
async function writeRows(folder: string): Promise<void> {
  const store = rowStore(join(folder, localPaths.rows));
  const files: StoredFile[] = [store.add('leaves', rowFile(LEAF_COLUMNS, []), 0)];
  const rows = collectRows(store);
  for (let n = 0; n < ROWS; n += 1) {
    rows.add(entryOf(n));
    if (rows.isFull() || n === ROWS - 1) files.push(...rows.take().files);
  }
  const { after: _first, ...complete } = emptyManifest('bench');
  const manifest = { ...complete, until: START_MS + SPAN_MS, itemCount: ROWS, files };
  const engine = await openTables(store, manifest);
  await findLeaders(engine, storedLeaders(store, manifest));
  const near = await storeQuery(engine, store, 'near', 'SELECT * FROM near ORDER BY text_digest');
  engine.close();
  store.commit({ ...manifest, files: [...files, near] });
}

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
      const answer = await fetch(path);
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

/** Measures the console. */
export async function measureConsole(): Promise<string[]> {
  if (!Number.isSafeInteger(ROWS) || ROWS < 1000) {
    throw new Error(`BENCH_ROWS must be an integer of at least 1000, not "${process.env.BENCH_ROWS}".`);
  }
  await setUpBrowser();
  const local = await openLocalData();
  local.file(
    'orders.csv',
    `uid,order_id,time,size,price\n${Array.from({ length: ROWS }, (_, n) => orderOf(n)).join('')}`,
  );
  await writeRows(local.folder);
  const browser = await openBrowser();
  /** Starts the console, and opens its page. */
  const open = async () => {
    const started = await startConsole(local.folder, local.engine.endpoint);
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
    const each = (path: (n: number) => string) => Array.from({ length: ROUNDS }, (_, n) => path(n));
    await ask(page, ['/api/search?q=warm', '/api/hits?q=warm']);
    const groups = {
      'page of the board': await ask(
        page,
        each(() => '/api/board'),
      ),
      'timeline of a team': await ask(
        page,
        each((n) => `/api/timeline?uid=${uidOf(n * 7)}`),
      ),
      'matrix of copies': await ask(
        page,
        each(() => '/api/copies'),
      ),
      'search a word': await ask(
        page,
        each((n) => `/api/search?q=${WORDS[n % WORDS.length]}`),
      ),
      'search two words': await ask(
        page,
        each((n) => `/api/search?q=${WORDS[n % WORDS.length]}%20${WORDS[(n + 3) % WORDS.length]}`),
      ),
      'hits of each team': await ask(
        page,
        each((n) => `/api/hits?q=${WORDS[n % WORDS.length]}`),
      ),
      'j to the next frame': await frames(
        page,
        "dispatchEvent(new KeyboardEvent('keydown', { key: 'j', cancelable: true }))",
      ),
      'scroll frame': await frames(page, 'scrollBy(0, 60)'),
    };
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
    await local.engine.stop();
  }
}
