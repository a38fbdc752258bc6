import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS_NAMESPACE } from '../../config.ts';
import { isPartitionThrottled } from '../../dependencyFailure.ts';
import { ApiError } from '../../errors.ts';
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

/**
 * Writes one log line and the metrics of each request. They never contain a secret, a signature, a passphrase or any
 * part of the body. It is registered before the checks so that it sees the final response.
 */
export const logRequest = ({ now }: { now: () => number }): Middleware => {
  const logger = new Logger();
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  let coldStart = true;

  const log = (event: UploadEvent, code: string, error?: Error | null) => {
    const milliseconds = now() - event.receivedAt;
    const status = error instanceof ApiError ? error.status : 200;
    const { cause } = error ?? {};
    const failure = isPartitionThrottled(cause) ? 'PartitionThrottled' : FAILURES[status];
    logger[cause === undefined ? 'info' : 'error'](code === '00000' ? 'accepted' : 'rejected', {
      code,
      status,
      msg: error instanceof ApiError ? error.logMessage : 'success',
      requestId: event.requestContext.requestId,
      // The owner of the key in ACCESS-KEY. If the signature is wrong, it does not prove who called, but names whom to
      // ask.
      uid: event.apiKey?.uid,
      accessKey: event.apiKey?.accessKey,
      entryId: event.entry?.entryId,
      duplicate: event.duplicate,
      decryptFailed: event.decryptFailed,
      ...(event.receiptError === undefined ? {} : { receiptError: describe(event.receiptError) }),
      bytes: event.rawBody?.length,
      milliseconds,
      middlewareMs: event.middlewareMs,
      coldStart,
      ...(cause === undefined ? {} : { error: describe(cause) }),
    });

    metrics.addMetric(code === '00000' ? 'Accepted' : 'Rejected', MetricUnit.Count, 1);
    if (failure) metrics.addMetric(failure, MetricUnit.Count, 1);
    if (event.duplicate) metrics.addMetric('Duplicate', MetricUnit.Count, 1);
    if (event.receiptError !== undefined) metrics.addMetric('ReceiptMissing', MetricUnit.Count, 1);
    if (coldStart) metrics.addMetric('ColdStart', MetricUnit.Count, 1);
    metrics.addMetric('Latency', MetricUnit.Milliseconds, milliseconds);
    metrics.publishStoredMetrics();
    if (code !== '00000') {
      metrics.singleMetric().addDimension('code', code).addMetric('RejectedByCode', MetricUnit.Count, 1);
    }
    coldStart = false;
  };

  return {
    after: ({ event }) => log(event, '00000'),
    onError: ({ event, error }) => log(event, error instanceof ApiError ? error.code : '', error),
  };
};
