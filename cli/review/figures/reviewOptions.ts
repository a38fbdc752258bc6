import { date, formatSpan, span, texts, zone } from '../../shell/terminal/arguments.ts';
import { CHILD_GAP_MS, WITHIN_MS } from './limits.ts';

export const reviewOptions = {
  orders: {
    flags: '--orders <file...>',
    help: 'the orders that need an AI log: CSV or JSON with columns such as uid, order_id and time (repeatable)',
    read: texts,
  },
  zone: {
    flags: '--time-zone <zone>',
    help: 'the zone of order times without one, such as +08:00 or Europe/Berlin (default: what the list says, else UTC)',
    read: zone,
  },
  within: {
    flags: '--within <span>',
    help: `a log later than this after its order is late (default: ${formatSpan(WITHIN_MS)})`,
    read: span,
  },
  childGap: {
    flags: '--child-gap <span>',
    help: `an order up to this long after one that a log names may be its child; 0: none (default: ${formatSpan(CHILD_GAP_MS)})`,
    read: span,
  },
  rules: { flags: '--rules <file>', help: 'the rules that the organisers announced, as JSON (default: none)' },
  since: {
    flags: '--since <date>',
    help: 'the start of the period (default: the day of the first order, else the first entry)',
    read: date,
  },
  until: {
    flags: '--until <date>',
    help: 'the end of the period, exclusive (default: the end of the day of the last order)',
    read: date,
  },
} as const;
