import type { Context } from 'aws-lambda';
import { type createLogger, describeError } from '../logLine.ts';
import { FatalError } from './fatalError.ts';
import { type Outcome, type RunOptions, runSequencer } from './run.ts';

/** The time before the timeout of the function at which a run is aborted, so that it can log. */
const RESERVE_MS = 2000;

export const createHandler = (options: RunOptions, write: ReturnType<typeof createLogger>) => {
  /** Reads what the public log served. A failure is a field of the run's line. */
  const readPublic = async (): Promise<{ fields?: object; metrics?: object | undefined }> => {
    try {
      return { metrics: await options.publicReads?.(options.now()) };
    } catch (error) {
      return { fields: { publicReadsError: describeError(error) } };
    }
  };

  const report = (outcome: Outcome, milliseconds: number, served: Awaited<ReturnType<typeof readPublic>>) => {
    const { appended, late, found, superseded, lag, size, quorumMissed, witnessFailures, witnessContradictions } =
      outcome;
    write('INFO', {
      message: 'sequenced',
      fields: { ...outcome, milliseconds, ...served.fields },
      metrics: {
        Accepted: 0,
        TlogAppended: appended + late,
        Stragglers: found,
        WitnessFailed: Object.keys(witnessFailures).length,
        WitnessContradicts: Object.keys(witnessContradictions).length,
        WitnessQuorumMissed: quorumMissed ? 1 : 0,
        TlogLag: superseded ? undefined : lag,
        TlogSize: superseded ? undefined : size,
        ...served.metrics,
      },
    });
  };

  return async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const start = options.now();
    const abortSignal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
    const served = await readPublic();
    try {
      report(await runSequencer(options, abortSignal), options.now() - start, served);
    } catch (error) {
      const condition = error instanceof FatalError ? error.condition : undefined;
      write('ERROR', {
        message: condition ? 'stopped' : 'failed',
        fields: { condition, error: describeError(error), ...served.fields },
        metrics: { Accepted: 0, ...(condition ? { TlogFatal: 1 } : { TlogFailed: 1 }), ...served.metrics },
      });
      throw error;
    }
  };
};
