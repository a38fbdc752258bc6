import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import { joinSignals } from '../shell/terminal/signals.ts';
import { attempt, type Reply, type SignedRequest } from './attempt.ts';

/** The greatest age of a request that is sent again, in milliseconds: the service's tolerance less the transfer. */
const FRESH_MS = CLOCK_TOLERANCE_MS - 2000;

/** The result of a delivery. `unknown`: an attempt may have stored the log, and no answer confirms it. */
export interface Delivery {
  readonly outcome: 'stored' | 'rejected' | 'unreached' | 'unknown';
  readonly request: SignedRequest;
  readonly reply: Reply;
  readonly attempts: number;
}

export interface DeliveryTimeouts {
  readonly timeout: number;
  /** Milliseconds to retry a log that is certainly not stored. One that may be stored is retried while it is fresh. */
  readonly patience: number;
}

interface DeliveryOptions extends DeliveryTimeouts {
  readonly sign: () => SignedRequest;
  /** Records a request, before it is sent for the first time. */
  readonly record: (request: SignedRequest) => void;
  /** Reports an attempt that failed, before each wait. */
  readonly log: (sentence: string) => void;
  /** Aborted when the delivery must end once its outcome is known: what is certainly not stored is not retried. */
  readonly finish: AbortSignal;
  /** Aborted when the delivery must end at once; it then throws. */
  readonly stop: AbortSignal;
  readonly resume?: SignedRequest | undefined;
}

/** Checks that a request can still be sent after a wait. @param wait milliseconds */
export const isFresh = ({ timestamp }: SignedRequest, wait = 0): boolean =>
  Date.now() + wait - Number(timestamp) <= FRESH_MS;

/**
 * Sends a log until its outcome is final. After a lost answer, a 5xx or a 429 the identical request is sent again while
 * it is fresh, and stored once. It is signed again, for a second entry, only if no attempt can be stored.
 */
export async function deliver(options: DeliveryOptions): Promise<Delivery> {
  const { sign, record, log, timeout, patience, finish, stop, resume } = options;
  const start = performance.now();
  let request = resume ?? sign();
  let mayBeStored = resume !== undefined;
  let pause = 1000;
  if (!resume) record(request);

  for (let attempts = 1; ; attempts += 1) {
    const reply = await attempt(request, { timeout, stop });
    const end = (outcome: Delivery['outcome']): Delivery => ({ outcome, request, reply, attempts });
    if (reply.verdict === 'stored') return end('stored');
    mayBeStored ||= reply.mayBeStored;
    if (reply.verdict === 'rejected') return end(mayBeStored ? 'unknown' : 'rejected');
    if (reply.verdict === 'unreached' && !mayBeStored) return end('unreached');

    const wait = reply.retryAfter ?? pause;
    pause = Math.min(pause * 2, 8000);
    const fresh = isFresh(request, wait);
    if (mayBeStored && !fresh) return end('unknown');
    if (!mayBeStored && (finish.aborted || performance.now() - start + wait > patience)) return end('rejected');
    const next = fresh ? 'sending the same request again' : 'nothing is stored, signing again';
    log(`${reply.says}; ${next} in ${wait / 1000} s.`);
    const { signal, release } = joinSignals(mayBeStored ? [stop] : [stop, finish]);
    try {
      await sleep(wait, undefined, { signal });
    } catch (error) {
      if (!mayBeStored && finish.aborted) return end('rejected');
      throw error;
    } finally {
      release();
    }
    if (fresh) continue;
    request = sign();
    record(request);
  }
}

/** Statuses that do not depend on the log: any other log would be rejected too. */
const OF_THE_CALLER = [401, 403, 404, 405, 415];

/** Checks that the failure concerns only this log, so that the next log can be tried. */
export const concernsLogOnly = ({ outcome, reply: { status = 0 } }: Delivery): boolean =>
  outcome === 'rejected' && [400, 413].includes(status);

/** Checks that the failure concerns the key, the URL or the allowlist, so that waiting does not help. */
export const concernsCaller = ({ outcome, reply: { status = 0 } }: Delivery): boolean =>
  outcome === 'rejected' && OF_THE_CALLER.includes(status);

export function failDelivery(name: string, { outcome, reply, request, attempts }: Delivery): Failure {
  const { says, status = 0 } = reply;
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
  if (outcome === 'unknown') {
    return new Failure('unreachable', `${name} may or may not be stored${tries}: ${says}.`, {
      advice: `If it is stored, its entry is ${request.entryId}. Ask the organisers before you upload it again: that would create a second entry.`,
    });
  }
  if (outcome === 'unreached') {
    return new Failure('unreachable', `${name} was not sent: ${says}.`, { advice: 'Check the URL and the network.' });
  }
  const doctor = `${PROGRAM} doctor`;
  const needsDoctor = OF_THE_CALLER.includes(status) && !says.includes('mjs doctor');
  const advice = needsDoctor && { advice: `${doctor} finds the reason.` };
  return new Failure('rejected', `${name} was rejected${tries}: ${says}.`, { ...advice });
}
