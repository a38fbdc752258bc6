import { isPartitionThrottled } from '../../dependencyFailure.ts';
import type { ApiError } from '../../errors.ts';
import { createLogger, describeError } from '../../logLine.ts';
import type { MetricsOf } from '../../metrics.ts';
import { isEntryEdited } from '../../receipts/acceptedEntry.ts';
import type { Config } from '../config.ts';
import type { Middleware, UploadEvent } from '../request.ts';

const count = (happened: boolean) => (happened ? 1 : undefined);

/**
 * Writes one log line with the metrics of each request. It never contains a secret, a signature, a passphrase or any
 * part of the body. It is registered before the checks so that it sees the final response.
 */
export const logRequest = ({ config, now }: { config: Config; now: () => number }): Middleware => {
  const write = createLogger(config);
  let coldStart = true;

  const writeLine = (event: UploadEvent, error?: ApiError) => {
    const milliseconds = now() - event.receivedAt;
    const { code = '00000', status = 200, logMessage: msg = 'success', cause } = error ?? {};
    write(cause === undefined ? 'INFO' : 'ERROR', {
      message: error ? 'rejected' : 'accepted',
      fields: {
        code,
        status,
        msg,
        requestId: event.requestContext.requestId,
        // The owner of the key in ACCESS-KEY: if the signature is wrong, not who called, but whom to ask.
        uid: event.apiKey?.uid,
        accessKey: event.apiKey?.accessKey,
        entryId: event.entry?.entryId,
        duplicate: event.duplicate,
        decryptFailed: event.decryptFailed,
        receiptError: event.receiptError === undefined ? undefined : describeError(event.receiptError),
        bytes: event.rawBody?.length,
        milliseconds,
        middlewareMs: event.middlewareMs,
        coldStart,
        error: cause === undefined ? undefined : describeError(cause),
      },
      metrics: {
        Accepted: count(!error),
        Rejected: count(!!error),
        RejectedByCode: count(!!error),
        SystemError: count(status === 500 && !isEntryEdited(cause)),
        EntryEdited: count(isEntryEdited(cause)),
        Unavailable: count(status === 503),
        PartitionThrottled: count(isPartitionThrottled(cause)),
        Duplicate: count(event.duplicate),
        Warned: count(!error && event.orderWarning !== undefined),
        ReceiptMissing: count(event.receiptError !== undefined),
        ColdStart: count(coldStart),
        Latency: milliseconds,
      } satisfies Record<MetricsOf<'upload'>, number | undefined>,
    });
    coldStart = false;
  };

  return {
    after: ({ event }) => writeLine(event),
    // `errorResponse` runs first, and leaves no other error.
    onError: ({ event, error }) => writeLine(event, error as ApiError),
  };
};
