/** The CloudWatch namespace of the functions' metrics. */
export const METRICS_NAMESPACE = 'AiLogUpload';

/** The lines that a function writes: all, those of its own failures, or none. */
export const LOG_LEVELS = ['INFO', 'ERROR', 'SILENT'] as const;

/** See `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A metric: a number of occurrences, or a duration. `per` names a field of the line that is a dimension too. */
export type Metric = ({ readonly count: number } | { readonly milliseconds: number }) & { readonly per?: string };

/** A line to write. */
interface Line {
  readonly message: string;
  /** The fields, which become JSON. Undefined ones are left out. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The metrics by their names. An undefined one is left out. */
  readonly metrics: Readonly<Record<string, Metric | undefined>>;
}

/** The dimension that tells the metrics of one stack from those of another. */
const SERVICE = 'service';

/** Returns the definition of metrics in CloudWatch's embedded metric format, which finds their values in the same line. */
const definitionOf = (metrics: readonly (readonly [name: string, metric: Metric])[], timestamp: number) => ({
  Timestamp: timestamp,
  CloudWatchMetrics: [...Map.groupBy(metrics, ([, { per }]) => per)].map(([per, ofDimension]) => ({
    Namespace: METRICS_NAMESPACE,
    Dimensions: [[SERVICE, ...(per === undefined ? [] : [per])]],
    Metrics: ofDimension.map(([Name, metric]) => ({ Name, Unit: 'count' in metric ? 'Count' : 'Milliseconds' })),
  })),
});

/**
 * Returns a function that writes a line of JSON to stdout, with its metrics in CloudWatch's embedded metric format. A
 * library would add a twentieth to a cold start: docs/decisions/log-line.md.
 * @param config `serviceName`: the value of the dimension `service`
 */
export const createLogger =
  ({ serviceName, logLevel }: { readonly serviceName: string; readonly logLevel: LogLevel }) =>
  (level: 'INFO' | 'ERROR', { message, fields, metrics }: Line): void => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logLevel)) return;
    const now = Date.now();
    const emitted = Object.entries(metrics).filter((entry): entry is [string, Metric] => entry[1] !== undefined);
    const line = {
      level,
      message,
      timestamp: new Date(now).toISOString(),
      [SERVICE]: serviceName,
      ...fields,
      ...Object.fromEntries(
        emitted.map(([name, metric]) => [name, 'count' in metric ? metric.count : metric.milliseconds]),
      ),
      _aws: definitionOf(emitted, now),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
