import { readWhole } from '../../shell/files/readWhole.ts';
import { formatSpan, span } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { CHILD_GAP_MS, WITHIN_MS } from './limits.ts';

/**
 * The rules of the organisers, of which the interface has none. Those of `--rules FILE` are announced; what breaks
 * another makes a question at most. `ms`: the time that applies by default, in milliseconds.
 */
export const rules = {
  'log-for-each-order': {
    says: 'Each order that is no child order has an AI log: one that names it, or one near it.',
    from: 'The interface makes `orderId` optional, and asks for no log of an order.',
    option: '--rules',
  },
  'log-within': {
    says: 'The log of an order comes within this time.',
    ms: WITHIN_MS,
    from: 'A choice. The interface names no time.',
    option: '--within',
  },
  'child-gap': {
    says: 'An order up to this long after one that a log names can belong to it, and needs no log.',
    ms: CHILD_GAP_MS,
    from: 'A choice. Slices of an execution come minutes apart.',
    option: '--child-gap',
  },
  'different-logs': {
    says: 'Logs are not always the same. Even if it is announced, *repeats* and *template* are questions.',
    from: 'The interface does not say it. The [limits](#limits) are those of honest archetypes.',
    option: '--rules',
  },
  'complete-logs': {
    says: 'Logs have a model version and data. Even if it is announced, *incomplete* is a question.',
    from: 'The interface has the fields, and says nothing of what is in them.',
    option: '--rules',
  },
} as const satisfies Record<string, { says: string; ms?: number; from: string; option: string }>;

export type Rule = keyof typeof rules;

export interface RuleLimits {
  /** A log that was signed later than this after its order is late, in milliseconds. */
  readonly within: number;
  readonly childGap?: number | undefined;
  readonly announced?: readonly Rule[] | undefined;
}

const NAMES = Object.keys(rules) as Rule[];
const isRule = (name: string): name is Rule => Object.hasOwn(rules, name);

/** Returns the announced rules of a file, with the time of each in milliseconds; null: it has none. @throws Failure */
function readAnnounced(path: string): ReadonlyMap<Rule, number | null> {
  const wrong = (what: string) =>
    new Failure('usage', `${path}: ${what}`, {
      advice: `Rules are a JSON object such as {"log-within": "60s", "log-for-each-order": true}, with: ${NAMES.join(', ')}.`,
    });
  let given: unknown;
  try {
    given = JSON.parse(String(readWhole(path)));
  } catch (error) {
    throw error instanceof SyntaxError ? wrong('it is no JSON.') : error;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('it is no JSON object.');
  const announced = new Map<Rule, number | null>();
  for (const [name, value] of Object.entries(given)) {
    if (!isRule(name)) throw wrong(`"${name}" is no rule.`);
    const isSwitch = !('ms' in rules[name]);
    if (isSwitch && value !== true) throw wrong(`"${name}" is true, or left out.`);
    try {
      announced.set(name, isSwitch ? null : span(String(value)));
    } catch (error) {
      throw wrong(`"${name}": ${(error as Error).message}`);
    }
  }
  return announced;
}

/**
 * Returns the rules of the options, of the file, and by default. @throws Failure if option and file contradict each
 * other
 */
export function applyRules(path: string | undefined, given: Record<'within' | 'childGap', number | undefined>) {
  const announced = path === undefined ? new Map<Rule, never>() : readAnnounced(path);
  const timeOf = (name: 'log-within' | 'child-gap', option: number | undefined) => {
    const ofFile = announced.get(name);
    if (typeof ofFile !== 'number') return option ?? rules[name].ms;
    if (option === undefined || option === ofFile) return ofFile;
    const message = `${rules[name].option} ${formatSpan(option)} contradicts the rule in ${path}: "${name}": "${formatSpan(ofFile)}".`;
    throw new Failure('usage', message, { advice: 'Leave the option out, or change the file.' });
  };
  const within: number = timeOf('log-within', given.within);
  const childGap: number = timeOf('child-gap', given.childGap);
  return { within, childGap, announced: [...announced.keys()] };
}

/** Returns each rule as a review applies it. `time`: such as 60s; null: the rule has none. */
export const describeRules = ({ within, childGap = CHILD_GAP_MS, announced = [] }: RuleLimits) =>
  NAMES.map((name) => {
    const ms = { 'log-within': within, 'child-gap': childGap }[name as string];
    return { rule: name, time: ms === undefined ? null : formatSpan(ms), announced: announced.includes(name) };
  });

export function sayRules(limits: RuleLimits): string {
  const all = describeRules(limits);
  const list = (isAnnounced: boolean) =>
    all
      .filter(({ announced }) => announced === isAnnounced)
      .map(({ rule, time }) => (time === null ? rule : `${rule} ${time}`))
      .join(', ') || 'none';
  return `Rules that the organisers announced (--rules): ${list(true)}. Others, which make questions only: ${list(false)}.`;
}
