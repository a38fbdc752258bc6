import { entryIdOf } from '../../functions/ailog/entry.ts';
import { parseJson } from '../../functions/ailog/plainNames.ts';
import { sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { orUndefined } from '../../functions/orUndefined.ts';
import { proxyRemark, statusOfProxy } from '../shell/terminal/proxy.ts';
import { joinSignals } from '../shell/terminal/signals.ts';
import type { Access } from './access.ts';

/** A signed upload, which can be sent any number of times. Its headers have the passphrase: do not show them. */
export interface SignedRequest {
  readonly url: string;
  readonly timestamp: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly entryId: string;
}

/** Signs a body. The same arguments always create the same request. @param at milliseconds since 1970 */
export function signRequest(
  { url, accessKey, secret, passphrase }: Omit<Access, 'secret'> & { readonly secret: string | Uint8Array },
  body: Buffer,
  at: number,
): SignedRequest {
  const timestamp = String(at);
  const signature = sign(secret, { timestamp, body });
  return {
    url: url + UPLOAD_PATH,
    timestamp,
    headers: {
      'ACCESS-KEY': accessKey,
      'ACCESS-SIGN': signature,
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': passphrase,
      locale: 'en-US',
      'Content-Type': 'application/json',
    },
    body,
    entryId: entryIdOf({ accessKey, timestamp, signature }),
  };
}

export interface Reply {
  readonly verdict: 'stored' | 'rejected' | 'later' | 'unreached';
  /** True if this attempt may have stored the log: its answer was lost, or is not from the service. */
  readonly mayBeStored: boolean;
  /** One sentence for people, without a full stop. */
  readonly says: string;
  readonly status?: number;
  readonly code?: string;
  /** The server's clock, in milliseconds since 1970. */
  readonly requestTime?: number;
  /** Milliseconds to wait before the next attempt, if the answer has a Retry-After header. */
  readonly retryAfter?: number;
  readonly receipt?: string | undefined;
  readonly rateLimit?: string | undefined;
  readonly ratePolicy?: string | undefined;
}

/** Error codes and messages of the system, TLS and fetch for a connection that was never made: nothing was sent. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS.*|ERR_SSL.*|EPROTO|.*CERT.*|.*LEAF_SIGNATURE|bad port|HTTP \d+ of the proxy)$/;

function readEnvelope(text: string) {
  const { code, msg, requestTime } = (orUndefined(() => parseJson(text)) ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof msg === 'string' ? { code, msg, requestTime } : {};
}

/** By these, and by redirects, any server says that it has not passed a request on: no service has got it. */
const NOT_PASSED_ON = [401, 403, 404, 405, 413, 414, 421];

function interpret(status: number, headers: Headers, text: string): Reply {
  const { code, msg, requestTime } = readEnvelope(text);
  const says = code
    ? `HTTP ${status}, ${code}: ${msg}`
    : `HTTP ${status}, which is not an answer of the upload service (${headers.get('content-type') ?? 'no content type'})`;
  const stored = status === 200 && code === '00000';
  const isAnswered = code !== undefined && status >= 400 && status < 500;
  const isRefused = (status >= 300 && status < 400) || NOT_PASSED_ON.includes(status) || (isAnswered && status !== 429);
  const seconds = headers.get('retry-after') ?? '';
  return {
    verdict: stored ? 'stored' : isRefused ? 'rejected' : 'later',
    // A proxy may have replaced the answer of the service by one of its own.
    mayBeStored: !stored && !isRefused && !isAnswered,
    says,
    status,
    ...(code && { code }),
    ...(typeof requestTime === 'number' && { requestTime }),
    ...(/^\d{1,6}$/.test(seconds) && { retryAfter: Number(seconds) * 1000 }),
    receipt: headers.get('ai-log-receipt') ?? undefined,
    rateLimit: headers.get('ratelimit') ?? undefined,
    ratePolicy: headers.get('ratelimit-policy') ?? undefined,
  };
}

const rejectOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** Sends a request once. @param timeout milliseconds until an answer counts as lost @throws the reason of `stop` */
export async function attempt(
  { url, headers, body }: SignedRequest,
  { timeout, stop }: { timeout: number; stop: AbortSignal },
): Promise<Reply> {
  const { signal, release } = joinSignals([stop], timeout);
  try {
    // Redirects are not followed: they would send the passphrase elsewhere, and turn the POST into a GET.
    const init: RequestInit = { method: 'POST', headers, body: new Uint8Array(body), redirect: 'manual', signal };
    const answer = fetch(url, init).then(async (response) =>
      interpret(response.status, response.headers, await response.text()),
    );
    // On Node.js 20, a fetch whose connection was closed at once does not settle, not even when it is aborted.
    return await Promise.race([answer, rejectOn(signal)]);
  } catch (error) {
    stop.throwIfAborted();
    if ((error as Error).name === 'TimeoutError') {
      return { verdict: 'later', mayBeStored: true, says: `no answer within ${timeout / 1000} s` };
    }
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const status = statusOfProxy(error as Error);
    const reason = status ? `HTTP ${status} of the proxy` : cause.code || cause.message;
    const says = `${reason}${proxyRemark()}`;
    return NEVER_SENT.test(reason)
      ? { verdict: 'unreached', mayBeStored: false, says: `no connection to ${new URL(url).host} (${says})` }
      : { verdict: 'later', mayBeStored: true, says: `the connection broke (${says})` };
  } finally {
    release();
  }
}
