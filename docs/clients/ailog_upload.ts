/**
 * Uploads AI logs: signs their bytes, sends the identical request again while that is safe, and keeps what proves them.
 *
 * Command: `node ailog_upload.ts log.json ...`     Module: `const { state } = await upload(body)`
 * Needs Node 22.18 and no packages; AILOG_URL, AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE in the environment.
 */
import { createHmac } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PATH = '/capi/v2/order/uploadAiLog';
const ATTEMPT_MS = 8000; // An answer that takes longer counts as lost.
const WINDOW_MS = 26_000; // For 30 s, the service stores the identical request once, however often it is sent.

/** Sends one request. Returns the status 0 if there is no complete answer in time. */
async function send(url: string, init: RequestInit, milliseconds: number) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(milliseconds) });
    const names = ['AI-LOG-ID', 'AI-LOG-RECEIPT', 'AI-LOG-WARNING', 'Retry-After'];
    const [id, receipt, warning, retryAfter] = names.map((name) => response.headers.get(name));
    return { status: response.status, id, receipt, warning, retryAfter, answer: await response.text() };
  } catch (error) {
    return { status: 0, answer: `no answer: ${(error as Error).cause ?? error}` };
  }
}

/**
 * Uploads the bytes of a log, and keeps one line before it is sent and one with the result, which it returns.
 * The state is `stored`, `not stored`, or `unknown`: then ask the organisers, who find the log by its timestamp.
 * Keep `receipt`, the proof of the upload. `warning` says what is probably wrong with a log that is stored.
 */
export async function upload(body: Uint8Array<ArrayBuffer>, keep = 'ailog-kept.jsonl') {
  const { AILOG_URL: base, AILOG_ACCESS_KEY: key, AILOG_SECRET: secret, AILOG_PASSPHRASE: passphrase } = process.env;
  if (!base || !key || !secret || !passphrase) throw new Error('a variable AILOG_… is not set');
  const url = base.replace(/\/+$/, '') + PATH;
  const timestamp = String(Date.now());
  const mac = createHmac('sha256', secret).update(`${timestamp}POST${PATH}`).update(body);
  const headers = {
    'ACCESS-KEY': key,
    'ACCESS-PASSPHRASE': passphrase,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-SIGN': mac.digest('base64'),
    'Content-Type': 'application/json',
    locale: 'en-US',
  };
  const line = { state: 'sending', timestamp, sign: headers['ACCESS-SIGN'], body: Buffer.from(body).toString() };
  const write = <Line extends object>(kept: Line): Line => {
    appendFileSync(keep, `${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true });
    return kept;
  };
  write(line); // If this program ends now, the line says what was sent.
  const end = Date.now() + WINDOW_MS;
  let failure = 'not stored';
  for (let wait = 1; ; wait *= 2) {
    const init: RequestInit = { method: 'POST', headers, body, redirect: 'manual' };
    const result = { ...line, ...(await send(url, init, Math.max(100, Math.min(ATTEMPT_MS, end - Date.now())))) };
    const { status, answer, retryAfter } = result;
    if (status === 200 && /"code"\s*:\s*"00000"/.test(answer)) return write({ ...result, state: 'stored' });
    const isRefused = status >= 300 && status < 500;
    if (!isRefused) failure = 'unknown'; // This attempt may have stored the log.
    const pause = Math.max(wait, Number(retryAfter) || 0) * 1000;
    if ((isRefused && status !== 429) || Date.now() + pause >= end) return write({ ...result, state: failure });
    await sleep(pause);
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.length < 3) console.error('usage: node ailog_upload.ts log.json ...');
  process.exitCode = process.argv.length < 3 ? 1 : 0;
  for (const name of process.argv.slice(2)) {
    try {
      const { state, status, answer, warning } = await upload(readFileSync(name));
      if (state !== 'stored') throw new Error(`${state}, HTTP ${status}, ${answer}`);
      console.log(`${name}: stored${warning ? `, but ${warning}` : ''}`);
    } catch (error) {
      console.error(`${name}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}
