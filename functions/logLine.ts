import { METRICS_NAMESPACE, type MetricName, metrics } from './metrics.ts';

/** The log lines that a function writes: all, only its own failures, or none. */
export const LOG_LEVELS = ['INFO', 'ERROR', 'SILENT'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly metrics: Readonly<Partial<Record<MetricName, number | undefined>>>;
}

/** Returns the loggable part of an error. Its other properties may contain a request or an item. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return { name: error.name, message: error.message, stack: error.stack };
}

/** Returns the definition of metrics in CloudWatch's embedded metric format. Their values are in the same line. */
const definitionOf = (names: readonly MetricName[], timestamp: number) => ({
  Timestamp: timestamp,
  CloudWatchMetrics: Map.groupBy(names, (name) => metrics[name].dimensions.join())
    .values()
    .map((ofDimensions) => ({
      Namespace: METRICS_NAMESPACE,
      Dimensions: [metrics[ofDimensions[0] as MetricName].dimensions],
      Metrics: ofDimensions.map((name) => ({ Name: name, Unit: metrics[name].unit })),
    }))
    .toArray(),
});

/**
 * Creates a logger, which writes a line of JSON to stdout, with its metrics in CloudWatch's embedded metric format.
 * Powertools would add a twentieth to a cold start, and write two or three lines a request.
 */
export const createLogger =
  ({ serviceName, logLevel }: { readonly serviceName: string; readonly logLevel: LogLevel }) =>
  (level: 'INFO' | 'ERROR', { message, fields, metrics: values }: Line): void => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
    const now = Date.now();
    const emitted = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined);
    const line = {
      level,
      message,
      timestamp: new Date(now).toISOString(),
      service: serviceName,
      ...fields,
      // JSON leaves out undefined values.
      ...values,
      _aws: definitionOf(emitted, now),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
