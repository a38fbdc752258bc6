import { isPartitionThrottled } from '../../dependencyFailure.ts';
import type { ApiError } from '../../errors.ts';
import { createLogger } from '../../logLine.ts';
import type { Config } from '../config.ts';
import type { Middleware, UploadEvent } from '../request.ts';

/** The metrics of the service's own failures, by status. Both statuses share the code 40015. */
const FAILURES: Readonly<Record<number, string>> = { 500: 'SystemError', 503: 'Unavailable' };

/**
 * Returns the loggable part of an error. Its other properties may contain a request or an item, so they are left out.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return { name: error.name, message: error.message, stack: error.stack };
}

const ONE = { count: 1 };

/**
 * Writes one log line with the metrics of each request. It never contains a secret, a signature, a passphrase or any part
 * of the body. It is registered before the checks so that it sees the final response.
 */
export const logRequest = ({ config, now }: { config: Config; now: () => number }): Middleware => {
  const write = createLogger(config);
  let coldStart = true;

  const log = (event: UploadEvent, error?: ApiError) => {
    const milliseconds = now() - event.receivedAt;
    const { code = '00000', status = 200, logMessage: msg = 'success', cause } = error ?? {};
    const failure = isPartitionThrottled(cause) ? 'PartitionThrottled' : FAILURES[status];
    write(cause === undefined ? 'INFO' : 'ERROR', {
      message: error ? 'rejected' : 'accepted',
      fields: {
        code,
        status,
        msg,
        requestId: event.requestContext.requestId,
        // The owner of the key in ACCESS-KEY. If the signature is wrong, it does not prove who called, but names whom to
        // ask.
        uid: event.apiKey?.uid,
        accessKey: event.apiKey?.accessKey,
        entryId: event.entry?.entryId,
        duplicate: event.duplicate,
        decryptFailed: event.decryptFailed,
        receiptError: event.receiptError === undefined ? undefined : describe(event.receiptError),
        bytes: event.rawBody?.length,
        milliseconds,
        middlewareMs: event.middlewareMs,
        coldStart,
        error: cause === undefined ? undefined : describe(cause),
      },
      metrics: {
        [error ? 'Rejected' : 'Accepted']: ONE,
        RejectedByCode: error ? { ...ONE, per: 'code' } : undefined,
        ...(failure && { [failure]: ONE }),
        Duplicate: event.duplicate ? ONE : undefined,
        ReceiptMissing: event.receiptError === undefined ? undefined : ONE,
        ColdStart: coldStart ? ONE : undefined,
        Latency: { milliseconds },
      },
    });
    coldStart = false;
  };

  return {
    after: ({ event }) => log(event),
    // `errorResponse` runs first, and leaves no other error.
    onError: ({ event, error }) => log(event, error as ApiError),
  };
};
