import { date, offset, span, texts } from '../../shell/terminal/arguments.ts';
import { targetCommand } from '../../store/targets/target.ts';
import { noSync } from '../rows/openRows.ts';
import { CHILD_GAP_MS, WITHIN_MS } from './limits.ts';

/** Creates a command that makes the figures of teams, with the options that say of what and how. */
export const reviewCommand = (...about: Parameters<typeof targetCommand>) =>
  targetCommand(...about)
    .option(
      '--orders <file...>',
      'the orders that need an AI log: CSV or JSON with columns such as uid, order_id and time (repeatable)',
      texts,
    )
    .option('--time-zone <offset>', 'the offset from UTC of order times without one (default: UTC)', offset)
    .option('--within <span>', 'a log later than this after its order is late', span, WITHIN_MS)
    .option(
      '--child-gap <span>',
      'an order this long after one that a log names may belong to it; 0: none does',
      span,
      CHILD_GAP_MS,
    )
    .option(
      '--since <date>',
      'the start of the period (default: the day of the first order, else the first entry)',
      date,
    )
    .option('--until <date>', 'the end of the period, exclusive (default: the end of the day of the last order)', date)
    .addOption(noSync());
