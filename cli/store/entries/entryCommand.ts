import { date, orderId, uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { targetCommand } from '../targets/target.ts';
import type { EntryFilter } from './entryFilter.ts';

/** Creates a command that works on the entries that its options select. */
export const entryCommand = (...about: Parameters<typeof targetCommand>) =>
  targetCommand(...about)
    .option('--uid <uid>', 'only entries of this UID; can be repeated', uids)
    .option('--order <id>', 'only entries of this order', orderId)
    .option(
      '--since <date>',
      'only entries signed at or after this time: 2025-11-14 or 2025-11-14T09:30:00Z, UTC',
      date,
    )
    .option('--until <date>', 'only entries signed before this time', date)
    .option('--stage <stage>', 'only entries with this text in their stage, in any case')
    .option('--model <model>', 'only entries with this text in their model, in any case');

type Options = ReturnType<ReturnType<typeof entryCommand>['opts']>;
type EntryOptions = { readonly [Name in keyof Options]?: Options[Name] | undefined };

/** Returns the filter that the options describe. @throws Failure if --since is not before --until */
export function readFilter({ uid: uids, order, since, until, stage, model }: EntryOptions): EntryFilter {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new Failure('usage', '--since must be before --until, which is exclusive.');
  }
  return { uids, orderId: order, since, until, stage, model };
}
