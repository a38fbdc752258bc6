import type { Reason } from '../../review/figures/reasons.ts';
import type { Trade, Writer } from './prose.ts';

/** How a team trades and logs. By default it decides 37 to 40 times a day, and writes prose about each order. */
interface Habits {
  readonly teams: number;
  /** The reasons that an honest reviewer finds. */
  readonly found: readonly Reason[];
  /** Absent: not honest, or not able to do what the rules ask for. */
  readonly isHonest?: true;
  readonly decisions?: number;
  readonly trade?: Partial<Trade>;
  /** Orders that follow the one that a log names, in milliseconds from one to the next. */
  readonly children?: { readonly count: number; readonly every: number; readonly sides: 'same' | 'other' | 'both' };
  readonly parts?: number;
  readonly writes?: Writer;
  /** The minutes from one look at the market to the next, each with a log, also without an order; on one day or all. */
  readonly looks?: { readonly minutes: number; readonly day?: number; readonly writes: Writer };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** The ways in which the demo's teams behave, as docs/review.md says, and the reasons to look that a report finds. */
export const archetypes = {
  honest: { teams: 7, found: [], isHonest: true },
  backdated: { teams: 1, found: ['same time'], isHonest: true },
  structured: { teams: 1, found: [], isHonest: true, writes: 'structured' },
  slicing: {
    ...{ teams: 1, found: [], isHonest: true, decisions: 6 },
    children: { count: 19, every: 8 * MINUTE_MS, sides: 'same' },
  },
  bracketing: {
    ...{ teams: 1, found: [], isHonest: true, decisions: 20, writes: 'structured' },
    children: { count: 2, every: SECOND_MS, sides: 'other' },
  },
  grid: { teams: 1, found: [], isHonest: true, decisions: 6, children: { count: 11, every: 300, sides: 'both' } },
  scheduled: {
    ...{ teams: 1, found: [], isHonest: true, decisions: 24, writes: 'scheduled' },
    trade: { symbol: 'BTCUSDT', side: 'buy', size: 0.1 },
  },
  following: { teams: 1, found: [], isHonest: true, writes: 'signal' },
  ensemble: { teams: 1, found: [], isHonest: true, writes: 'ensemble' },
  thinking: { teams: 1, found: [], isHonest: true, writes: 'long' },
  rebalancing: { teams: 1, found: [], isHonest: true, decisions: 6, parts: 4 },
  making: {
    ...{ teams: 1, found: [], isHonest: true, decisions: 288, writes: 'structured' },
    children: { count: 11, every: 24 * SECOND_MS, sides: 'both' },
  },
  rare: { teams: 1, found: [], isHonest: true, decisions: 3 },
  looking: { teams: 1, found: ['many logs'], isHonest: true, looks: { minutes: 5, writes: 'look' } },
  framework: { teams: 2, found: [], isHonest: true, writes: 'framework' },
  chinese: { teams: 1, found: [], isHonest: true, writes: 'chinese' },
  restarting: { teams: 1, found: [], isHonest: true, looks: { minutes: 30, day: 1, writes: 'restart' } },
  unnamed: { teams: 2, found: ['few named'] },
  late: { teams: 3, found: ['late'] },
  dumping: { teams: 2, found: ['late', 'silent'] },
  stopped: { teams: 2, found: ['no log near', 'few named', 'silent'] },
  absent: { teams: 2, found: ['no entries'] },
  templated: { teams: 2, found: ['template'], writes: 'template' },
  renumbering: { teams: 1, found: ['template'], writes: 'renumbered' },
  hiding: { teams: 1, found: ['template', 'hidden characters'], writes: 'hidden' },
  replaying: { teams: 1, found: ['other trade', 'repeats'] },
  backdating: { teams: 1, found: ['same time'] },
  copying: { teams: 2, found: ['copies'] },
  claiming: { teams: 1, found: ["others' orders"] },
  early: { teams: 1, found: ['early'] },
} as const satisfies Record<string, Habits>;

export type Archetype = keyof typeof archetypes;

export const habitsOf = (archetype: Archetype): Habits => archetypes[archetype];
