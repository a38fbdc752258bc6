import type { SignedRequest } from './signedRequest.ts';

/** What came of sending a request once. */
export interface Reply {
  readonly verdict: 'stored' | 'rejected' | 'later' | 'unreached';
  /** Whether this attempt can have stored the log all the same: its answer was lost, or is not the service's last word. */
  readonly mayBeStored: boolean;
  /** One sentence for people, without its full stop. */
  readonly says: string;
  readonly status?: number;
  readonly code?: string;
  /** The server's clock, in milliseconds since 1970. */
  readonly requestTime?: number;
  /** Milliseconds to wait before the next attempt, where the answer says so. */
  readonly retryAfter?: number;
  /** Headers of a success. */
  readonly entryId?: string;
  readonly digest?: string;
  readonly rateLimit?: string;
}

/** What a connection is called that was never made, so that nothing was sent: by the system, by TLS, by fetch itself. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS.*|ERR_SSL.*|EPROTO|.*CERT.*|.*LEAF_SIGNATURE|bad port)$/;

/** The envelope of an answer, where it has one. */
function envelopeOf(text: string): { code?: string; msg?: string; requestTime?: number } {
  try {
    const { code, msg, requestTime } = JSON.parse(text);
    return typeof code === 'string' && typeof msg === 'string' ? { code, msg, requestTime } : {};
  } catch {
    return {};
  }
}

/** What an answer means. */
function judge(status: number, headers: Headers, text: string): Reply {
  const { code, msg, requestTime } = envelopeOf(text);
  const says = code
    ? `HTTP ${status}, ${code}: ${msg}`
    : `HTTP ${status} of something that is not the upload service (${headers.get('content-type') ?? 'no content type'})`;
  const later = status === 429 || status >= 500;
  const stored = status === 200 && code === '00000';
  const seconds = headers.get('retry-after') ?? '';
  const kept = {
    entryId: headers.get('ai-log-id'),
    digest: headers.get('ai-log-digest'),
    rateLimit: headers.get('ratelimit'),
  };
  return {
    verdict: stored ? 'stored' : later ? 'later' : 'rejected',
    // A 2xx that is not ours may hide ours: something in between rewrote it.
    mayBeStored: status >= 500 || (status < 300 && !stored),
    says,
    status,
    ...(code && { code }),
    ...(requestTime && { requestTime }),
    ...(/^\d{1,6}$/.test(seconds) && { retryAfter: Number(seconds) * 1000 }),
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null)),
  };
}

/**
 * Sends a request once.
 * @param timeout milliseconds until an answer counts as lost
 * @param stop aborted when the user wants to stop; then this throws
 */
export async function attempt(
  { url, headers, body }: SignedRequest,
  { timeout, stop }: { timeout: number; stop: AbortSignal },
): Promise<Reply> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeout)]);
  try {
    // Not followed: a redirect would carry the passphrase elsewhere, and turn the POST into a GET.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    });
    return judge(response.status, response.headers, await response.text());
  } catch (error) {
    stop.throwIfAborted();
    if ((error as Error).name === 'TimeoutError') {
      return { verdict: 'later', mayBeStored: true, says: `no answer within ${timeout / 1000} s` };
    }
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const reason = cause.code ?? cause.message;
    if (!NEVER_SENT.test(reason))
      return { verdict: 'later', mayBeStored: true, says: `the connection broke (${reason})` };
    return { verdict: 'unreached', mayBeStored: false, says: `no connection to ${new URL(url).host} (${reason})` };
  }
}
