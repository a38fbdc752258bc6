import type { EntryFilter } from '../data/entriesReader.ts';
import { date, orderId, uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';

/** A command on the entries that its options choose. */
export const entryCommand = (...about: Parameters<typeof targetCommand>) =>
  targetCommand(...about)
    .option('--uid <uid>', 'only those of this UID', uid)
    .option('--order <id>', 'only those of this order', orderId)
    .option('--since <date>', 'only those signed at this time or later: 2025-11-14 or 2025-11-14T09:30:00Z, UTC', date)
    .option('--until <date>', 'only those signed before this time', date)
    .option('--stage <stage>', 'only those with exactly this stage')
    .option('--model <model>', 'only those with exactly this model');

/** The options of an entry command. */
type EntryOptions = ReturnType<ReturnType<typeof entryCommand>['opts']>;

/** What the options choose. @throws Failure where no time is both since and until */
export function filterOf({ uid, order, since, until, stage, model }: EntryOptions): EntryFilter {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Failure('usage', '--since must be before --until; the time of --until itself is not included.');
  }
  return {
    ...(uid !== undefined && { uid }),
    ...(order !== undefined && { orderId: order }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(stage !== undefined && { stage }),
    ...(model !== undefined && { model }),
  };
}
