import type { Context } from 'aws-lambda';
import { type createLogger, describeError } from '../logLine.ts';
import { FatalError } from './fatalError.ts';
import { type Outcome, type RunOptions, runSequencer } from './run.ts';

/** The time before the timeout of the function at which a run is aborted, so that it can log. */
const RESERVE_MS = 2000;

export const createHandler = (options: RunOptions, write: ReturnType<typeof createLogger>) => {
  const report = (outcome: Outcome, milliseconds: number) => {
    const { appended, late, found, superseded, lag, size, quorumMissed, witnessFailures, witnessContradictions } =
      outcome;
    write('INFO', {
      message: 'sequenced',
      fields: { ...outcome, milliseconds },
      metrics: {
        Accepted: 0,
        TlogAppended: appended + late,
        Stragglers: found,
        WitnessFailed: Object.keys(witnessFailures).length,
        WitnessContradicts: Object.keys(witnessContradictions).length,
        WitnessQuorumMissed: quorumMissed ? 1 : 0,
        TlogLag: superseded ? undefined : lag,
        TlogSize: superseded ? undefined : size,
      },
    });
  };

  return async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const start = options.now();
    const abortSignal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
    try {
      report(await runSequencer(options, abortSignal), options.now() - start);
    } catch (error) {
      const condition = error instanceof FatalError ? error.condition : undefined;
      write('ERROR', {
        message: condition ? 'stopped' : 'failed',
        fields: { condition, error: describeError(error) },
        metrics: { Accepted: 0, ...(condition ? { TlogFatal: 1 } : { TlogFailed: 1 }) },
      });
      throw error;
    }
  };
};
