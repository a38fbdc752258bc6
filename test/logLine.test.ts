import { expect, test } from 'vitest';
import { createLogger, type LogLevel } from '../functions/logLine.ts';
import { recordWritten } from './setup/written.ts';

const written = recordWritten();

/** Writes a line with a logger of a level. @returns the lines on stdout, parsed */
function write(level: 'INFO' | 'ERROR', logLevel: LogLevel = 'INFO') {
  written.clear();
  createLogger({ serviceName: 'AiLogUpload-prod', logLevel })(level, {
    message: 'rejected',
    fields: { code: '40009', uid: undefined, text: 'two\nlines' },
    metrics: { Rejected: 1, RejectedByCode: 1, Duplicate: undefined, Latency: 12 },
  });
  expect(written.text()).toMatch(/^(.+\n)?$/);
  return written.lines();
}

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
test('a line holds its fields and its metrics in the embedded metric format', () => {
  const before = Date.now();
  const [line = {}] = write('INFO');
  expect(line).toEqual({
    level: 'INFO',
    message: 'rejected',
    timestamp: new Date(line._aws.Timestamp).toISOString(),
    service: 'AiLogUpload-prod',
    code: '40009',
    text: 'two\nlines',
    Rejected: 1,
    RejectedByCode: 1,
    Latency: 12,
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'AiLogUpload',
          Dimensions: [['service']],
          Metrics: [
            { Name: 'Rejected', Unit: 'Count' },
            { Name: 'Latency', Unit: 'Milliseconds' },
          ],
        },
        {
          Namespace: 'AiLogUpload',
          Dimensions: [['service', 'code']],
          Metrics: [{ Name: 'RejectedByCode', Unit: 'Count' }],
        },
      ],
    },
  });
  expect(line._aws.Timestamp).toBeGreaterThanOrEqual(before);
});

test.each([
  ['INFO', 1, 1],
  ['ERROR', 0, 1],
  ['SILENT', 0, 0],
] as const)(
  'with LOG_LEVEL=%s, %i lines of requests and %i of failures are written',
  (logLevel, requests, failures) => {
    expect(write('INFO', logLevel)).toHaveLength(requests);
    expect(write('ERROR', logLevel)).toHaveLength(failures);
  },
);
