import { isDependencyFailure, isPartitionThrottled } from '../../dependencyFailure.ts';
import { ApiError, apiError } from '../../errors.ts';
import { createLogger, describeError } from '../../logLine.ts';
import type { MetricsOf } from '../../metrics.ts';
import { isEntryEdited } from '../../receipts/acceptedEntry.ts';
import type { Config } from '../config.ts';
import type { Field, Step, UploadEvent } from '../request.ts';
import { failureResponse } from '../response.ts';

/** The time after which a request's pending calls are aborted, in milliseconds. */
const DEADLINE_MS = 4500;

export const startRequest = ({
  now,
}: {
  now: () => number;
}): Step<never, 'receivedAt' | 'deadline' | 'endDeadline' | 'middlewareMs' | 'responseHeaders'> => ({
  before: ({ event }) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), DEADLINE_MS).unref();
    event.receivedAt = now();
    event.deadline = deadline.signal;
    event.endDeadline = () => clearTimeout(timer);
    event.middlewareMs = {};
    event.responseHeaders = {};
  },
  // No call is pending after a success. Without this, the timer would keep the request in memory until it fires.
  after: ({ event }) => event.endDeadline?.(),
});

const count = (happened: boolean) => (happened ? 1 : undefined);

/** The fields that the log line of every request needs. It has all others as far as they are known. */
type Logged = 'receivedAt' | 'middlewareMs';

/** Writes one log line with the metrics of each request, and no secret, signature, passphrase or part of the body. */
export const logRequest = ({ config, now }: { config: Config; now: () => number }): Step<Logged, never, Field> => {
  const write = createLogger(config);
  let coldStart = true;

  const writeLine = (event: UploadEvent<Logged, Field>, error?: ApiError) => {
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
        Duplicate: count(event.duplicate === true),
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

const RETRY_AFTER_SECONDS = 1;

/** Converts any error to an API error: 429 for the team that fills its partition, 503 for a dependency, else 500. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const options = { cause: error, retryAfter: RETRY_AFTER_SECONDS };
  if (isPartitionThrottled(error)) return apiError('partitionThrottled', { seconds: RETRY_AFTER_SECONDS }, options);
  if (isDependencyFailure(error)) return apiError('unavailable', {}, options);
  return apiError('systemError', {}, { cause: error });
}

/** Turns an error of any later middleware into a response. Middy runs `onError` in reverse order. */
export const errorResponse = ({ now }: { now: () => number }): Step<'responseHeaders'> => ({
  onError: (request) => {
    const error = toApiError(request.error);
    request.error = error;
    request.response = failureResponse(error, now(), request.event.responseHeaders);
  },
});
