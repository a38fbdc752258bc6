import { afterAll, vi } from 'vitest';
import type { Dependencies } from '../../functions/upload/request.ts';

/** A parsed log line, with its metrics. */
// biome-ignore lint/suspicious/noExplicitAny: a line has any fields; each test knows its own.
type Line = Record<string, any>;

/** Returns dependencies with which the function logs every request, as in Lambda. */
export const withLog = (dependencies: Dependencies): Dependencies => ({
  ...dependencies,
  config: { ...dependencies.config, logLevel: 'INFO' },
});

/** Records what the functions write in this process, until the test file ends. */
export function recordWritten() {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk: unknown) => {
    text += chunk;
    return true;
  });
  afterAll(() => write.mockRestore());
  return {
    /** Everything so far. */
    text: () => text,
    lines: (): Line[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    clear: () => {
      text = '';
    },
  };
}

/** Returns the metrics of a line by their names, each with value, unit and dimensions: `1 Count service code`. */
export const metricsOf = ({ _aws, ...line }: Line): Record<string, string> =>
  Object.fromEntries(
    _aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }: { Dimensions: string[][]; Metrics: Line[] }) =>
      Metrics.map(({ Name, Unit }) => [Name, `${line[Name]} ${Unit} ${Dimensions.flat().join(' ')}`]),
    ),
  );
