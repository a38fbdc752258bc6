import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { attempt, type Reply } from './attempt.ts';
import type { SignedRequest } from './signedRequest.ts';

/** How old a request may be when it is sent again, in milliseconds: what the service allows, less its way there. */
const FRESH_MS = CLOCK_TOLERANCE_MS - 2000;

/** How long to wait before the next attempt where no answer says so, in milliseconds: doubled each time, to a limit. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 8000;

/** What became of a log. `unknown`: an attempt may have stored it, and no answer tells. */
export interface Delivery {
  readonly outcome: 'stored' | 'rejected' | 'unreached' | 'unknown';
  /** The last request that was sent. */
  readonly request: SignedRequest;
  readonly reply: Reply;
  readonly attempts: number;
}

/** How patient a delivery is. */
export interface DeliveryTimeouts {
  /** Milliseconds until an answer counts as lost. */
  readonly timeout: number;
  /** Milliseconds to go on with a log that is certainly not stored. One that may be is tried while it is fresh. */
  readonly patience: number;
}

/** How a log is delivered. */
interface Means extends DeliveryTimeouts {
  /** Signs the log with the present time. */
  readonly sign: () => SignedRequest;
  /** Called with each request before it is sent for the first time; returns when that is on record. */
  readonly record: (request: SignedRequest) => void;
  /** Called before each wait. */
  readonly log: (sentence: string) => void;
  /** Aborted when the user wants to stop; then this throws. */
  readonly stop: AbortSignal;
  /** A request of an earlier run whose outcome is not known, if it is still fresh. */
  readonly resume?: SignedRequest;
}

/** Whether a request is young enough to be sent again after a wait (milliseconds). */
export const isFresh = ({ timestamp }: SignedRequest, wait = 0): boolean =>
  Date.now() + wait - Number(timestamp) <= FRESH_MS;

/**
 * Sends a log until it is stored, rejected, or there is no use in going on. After a lost answer, a 5xx or a 429 the
 * identical request is sent again while it is fresh, which stores it once however often it arrives. It is signed anew
 * only where no attempt can have stored it: a second signature is a second entry.
 */
export async function deliver(means: Means): Promise<Delivery> {
  const { sign, record, log, timeout, patience, stop, resume } = means;
  const start = performance.now();
  let request = resume ?? sign();
  let mayBeStored = resume !== undefined;
  let pause = FIRST_WAIT_MS;
  if (!resume) record(request);

  for (let attempts = 1; ; attempts += 1) {
    const reply = await attempt(request, { timeout, stop });
    const end = (outcome: Delivery['outcome']): Delivery => ({ outcome, request, reply, attempts });
    if (reply.verdict === 'stored') return end('stored');
    mayBeStored ||= reply.mayBeStored;
    if (reply.verdict === 'rejected') return end(mayBeStored ? 'unknown' : 'rejected');
    if (reply.verdict === 'unreached' && !mayBeStored) return end('unreached');

    const wait = reply.retryAfter ?? pause;
    pause = Math.min(pause * 2, LONGEST_WAIT_MS);
    const fresh = isFresh(request, wait);
    if (mayBeStored && !fresh) return end('unknown');
    if (!mayBeStored && performance.now() - start + wait > patience) return end('rejected');
    log(`${reply.says}; ${fresh ? 'the same request again' : 'nothing is stored, signed anew'} in ${wait / 1000} s.`);
    await sleep(wait, undefined, { signal: stop });
    if (fresh) continue;
    request = sign();
    record(request);
  }
}
