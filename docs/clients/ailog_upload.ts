/**
 * Uploads AI logs: signs their bytes, sends the identical request again while that is safe, and keeps what proves them.
 *
 * Command: `node ailog_upload.ts log.json ...`     Module: `const { state } = await upload(body)`
 * Needs Node 22.18 and no packages; AILOG_URL, AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE in the environment.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const PATH = '/capi/v2/order/uploadAiLog';
const ATTEMPT_MS = 8000; // An answer that takes longer counts as lost.
const WINDOW_MS = 26_000; // For 30 s, the service stores the identical request once, however often it is sent.

const NOT_PASSED_ON = [401, 403, 404, 405, 407, 413, 414, 421]; // Whoever says so, no service has got the request.
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/; // Plain HTTP shows the passphrase on any other way.

/** Sends one request. Returns the status 0 if there is no complete answer in time. */
async function send(url: URL, headers: OutgoingHttpHeaders, body: Uint8Array, milliseconds: number) {
  const { request: open } = url.protocol === 'https:' ? https : http;
  const signal = AbortSignal.timeout(milliseconds);
  const request = open(url, { method: 'POST', headers, agent: false, signal });
  let connected = false;
  request.once('socket', (socket) =>
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      connected = true;
    }),
  );
  request.on('error', () => {}); // Of an answer that breaks off: reading it says so.
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const answer = Buffer.concat(await response.toArray()).toString();
    const names = ['ai-log-id', 'ai-log-receipt', 'ai-log-warning', 'retry-after'];
    const [id, receipt, warning, retryAfter] = names.map((name) => response.headers[name]);
    return { status: response.statusCode ?? 0, connected, id, receipt, warning, retryAfter, answer };
  } catch (error) {
    const late = `no answer within ${ATTEMPT_MS / 1000} s`;
    const { code, message } = error as NodeJS.ErrnoException;
    return { status: 0, connected, answer: signal.aborted ? late : `no answer: ${message || code}` };
  }
}

/**
 * Uploads the bytes of a log, and keeps one line before it is sent and one with the result, which it returns.
 * The state is `stored`, `not stored`, or `unknown`: then ask the organisers, who find the log by its timestamp.
 * Keep `receipt`, the proof of the upload. `warning` says what is probably wrong with a log that is stored.
 */
export async function upload(body: Uint8Array, keep = 'ailog-kept.jsonl') {
  const names = ['AILOG_URL', 'AILOG_ACCESS_KEY', 'AILOG_SECRET', 'AILOG_PASSPHRASE'];
  const values = names.map((name) => process.env[name] ?? '');
  const wrong = names.find((_, at) => !/^[!-~]([ -~]*[!-~])?$/.test(values[at] as string));
  if (wrong) throw new Error(`${wrong} must be set, in ASCII, without spaces at its ends`);
  const [base, key, secret, passphrase] = values as [string, string, string, string];
  const given = URL.parse(base);
  if (!given || given.search || given.hash || given.username)
    throw new Error('AILOG_URL must be as https://api.example.com, with a path or not');
  const url = new URL(base.replace(/\/+$/, '') + PATH);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    throw new Error('AILOG_URL must start with https: anything else would send the passphrase unencrypted');
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
  for (let wait = 1, tries = 1; ; wait *= 2, tries += 1) {
    const left = Math.max(100, Math.min(ATTEMPT_MS, end - Date.now()));
    const { connected, retryAfter, ...answered } = await send(url, headers, body, left);
    const { status } = answered;
    const answer = status === 0 ? `${answered.answer}, ${tries} tries` : answered.answer;
    const result = { ...line, ...answered, answer };
    if (status === 200 && /"code"\s*:\s*"00000"/.test(answer)) return write({ ...result, state: 'stored' });
    const isAnswered = status >= 400 && status < 500 && /"code"\s*:\s*"/.test(answer);
    const isRefused = isAnswered || (status >= 300 && status < 400) || NOT_PASSED_ON.includes(status);
    if (connected && !isRefused) failure = 'unknown'; // This attempt may have stored the log.
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
