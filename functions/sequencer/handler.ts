import type { Context } from 'aws-lambda';
import { type createLogger, describeError } from '../logLine.ts';
import { FatalError } from './fatalError.ts';
import { ensureReceiptKey, type ReceiptKeyOptions } from './receiptKeys.ts';
import { type Log, run } from './sequence.ts';

/** The time before the timeout of the function at which a run is aborted, so that it can log. */
const RESERVE_MS = 2000;

type Options = Log & ReceiptKeyOptions & { readonly receiptKey: number };

export const createHandler = (options: Options, write: ReturnType<typeof createLogger>) => {
  const report = (error: unknown) => {
    const condition = error instanceof FatalError ? error.condition : undefined;
    write('ERROR', {
      message: condition ? 'stopped' : 'failed',
      fields: { condition, error: describeError(error) },
      metrics: { Accepted: 0, ...(condition ? { TlogFatal: 1 } : { TlogFailed: 1 }) },
    });
  };

  return async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const start = options.now();
    const abortSignal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
    // Uploads wait for the first key. Without one they get no receipt, and the log goes on.
    const [keyMade, sequenced] = await Promise.allSettled([
      ensureReceiptKey(options, options.receiptKey, abortSignal),
      run(options, abortSignal),
    ]);
    if (sequenced.status === 'fulfilled') {
      const { appended, found, superseded, lag, size, quorumMissed } = sequenced.value;
      write('INFO', {
        message: 'sequenced',
        fields: { ...sequenced.value, milliseconds: options.now() - start },
        metrics: {
          Accepted: 0,
          TlogAppended: appended,
          Stragglers: found,
          WitnessQuorumMissed: quorumMissed ? 1 : 0,
          TlogLag: superseded ? undefined : lag,
          TlogSize: superseded ? undefined : size,
        },
      });
    }
    for (const result of [sequenced, keyMade]) {
      if (result.status === 'fulfilled') continue;
      report(result.reason);
      throw result.reason;
    }
  };
};
