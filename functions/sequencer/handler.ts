import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS_NAMESPACE } from '../config.ts';
import type { Dependencies } from './dependencies.ts';
import { FatalLogError } from './fatal.ts';
import { type Outcome, sequence } from './sequence.ts';

/** The milliseconds before the timeout of the function at which a run is aborted, so that it can log. */
const RESERVE = 2000;

/** The part of the Lambda context that a run needs. */
interface Context {
  /** Milliseconds until Lambda ends the run. */
  getRemainingTimeInMillis(): number;
}

/** Returns the Lambda handler: one run of the sequencer, with a log line and metrics. */
export const createHandler = (dependencies: Dependencies) => {
  const logger = new Logger();
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  const count = (name: string, value: number) => metrics.addMetric(name, MetricUnit.Count, value);

  const report = (outcome: Outcome, milliseconds: number) => {
    const { appended, found, superseded, lag, size, quorumMissed } = outcome;
    logger.info('sequenced', { ...outcome, milliseconds });
    count('LeavesAppended', appended + (found.backfill ?? 0));
    count('Stragglers', (found.hourly ?? 0) + (found.daily ?? 0));
    count('WitnessQuorumMissed', quorumMissed ? 1 : 0);
    if (superseded) return;
    metrics.addMetric('SequencerLag', MetricUnit.Milliseconds, lag);
    count('LogSize', size);
  };

  return async (_event: unknown, context: Context): Promise<void> => {
    const start = dependencies.now();
    const abortSignal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE));
    try {
      report(await sequence(dependencies, abortSignal), dependencies.now() - start);
    } catch (error) {
      const { name, message, stack } = error as Error;
      const condition = error instanceof FatalLogError ? error.condition : undefined;
      logger.error(condition ? 'stopped' : 'failed', { condition, error: { name, message, stack } });
      count(condition ? 'SequencerFatal' : 'SequencerFailed', 1);
      throw error;
    } finally {
      metrics.publishStoredMetrics();
    }
  };
};
