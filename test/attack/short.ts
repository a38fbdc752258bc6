import { writerOf } from '../../cli/local/demo/prose.ts';
import { createRandom, type Random } from '../../cli/local/demo/random.ts';
import type { Log } from '../cli/review/figures/review.ts';

/** The words of the logs that are copied. */
export const WORDS = [10, 15, 20, 30, 45, 60, 90] as const;

/** The logs of each team, and the seconds from one to the next. */
const LOGS = 150;
const EVERY = 1500;
/** The logs that an attacker takes, and how many of its own come before. */
const COPIES = 60;
const BEFORE = 10;

const TRADE = { symbol: 'BTCUSDT', side: 'buy', price: 91_000, size: 1 } as const;

/** What a short log says. */
export interface Short {
  readonly output: Readonly<Record<string, string | number>>;
  readonly explanation: string;
}

/** Writes a text of some words, as one model does. */
function words(random: Random, count: number): string {
  const write = writerOf('prose', random, 0, TRADE);
  const all: string[] = [];
  while (all.length < count) all.push(...write(random, TRADE).explanation.split(' '));
  return all.slice(0, count).join(' ');
}

/** Writes a log of some words. */
export const shortOf = (random: Random, count: number): Short => ({
  output: {
    action: random.pick(['buy', 'sell']),
    entryPrice: random.between(80_000, 99_999),
    reason: words(random, Math.ceil(count / 2)),
  },
  explanation: words(random, Math.floor(count / 2)),
});

const mapOutput = (
  { output, explanation }: Short,
  change: (name: string, value: string | number) => unknown,
): Short => ({
  output: Object.fromEntries(Object.entries(output).map(([name, value]) => change(name, value) as [string, string])),
  explanation,
});

const otherPrice = (short: Short, random: Random): Short =>
  mapOutput(short, (name, value) => [name, typeof value === 'number' ? random.between(80_000, 99_999) : value]);
const renamed = (short: Short): Short => mapOutput(short, (name, value) => [`${name}Of`, value]);
const spelled = (short: Short): Short =>
  mapOutput(short, (name, value) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]);
/** Changes the reason in the output, and the explanation. */
const inTexts = ({ output, explanation }: Short, change: (text: string) => string): Short => ({
  output: { ...output, reason: change(String(output.reason)) },
  explanation: change(explanation),
});
const oneMoreWord = (short: Short): Short => inTexts(short, (text) => `${text} Understood.`);
const oneMoreProperty = ({ output, explanation }: Short): Short => ({
  output: { ...output, regime: 'trending' },
  explanation,
});
const eachFifthWord = (short: Short, random: Random): Short =>
  inTexts(short, (text) =>
    text
      .split(' ')
      .map((word, at) => (at % 5 === 2 ? words(random, 1) : word))
      .join(' '),
  );

/** What an attacker changes in each log that it takes. */
export const changes: Readonly<Record<string, (short: Short, random: Random) => Short>> = {
  nothing: (short) => short,
  'another price': otherPrice,
  'another price, names spelled otherwise': (short, random) => spelled(otherPrice(short, random)),
  'another price, other names': (short, random) => renamed(otherPrice(short, random)),
  'another price, one more word': (short, random) => oneMoreWord(otherPrice(short, random)),
  'another price, one more property': (short, random) => oneMoreProperty(otherPrice(short, random)),
  'another price, other names, one more word and property': (short, random) =>
    oneMoreProperty(renamed(oneMoreWord(otherPrice(short, random)))),
  'another price, each fifth word another one': (short, random) => eachFifthWord(otherPrice(short, random), random),
};

const bodyOf = (random: Random, short: Short) =>
  JSON.stringify({ input: { symbol: 'BTCUSDT', price: random.between(80_000, 99_999) }, ...short });

/** Makes the logs of a team that writes for itself. */
export function honestLogs(uid: string, random: Random, count: number, pool?: readonly Short[]): Log[] {
  const start = random.between(0, EVERY);
  return Array.from({ length: LOGS }, (_, place): Log => {
    const second = start + place * EVERY + random.between(0, 600);
    return { uid, second, received: second, body: bodyOf(random, pool ? random.pick(pool) : shortOf(random, count)) };
  });
}

/** Makes teams that each take 60 logs of another one, and change them. @returns the logs, and the UIDs of attackers */
export function attackShort(seed: string, counts: readonly number[] = WORDS) {
  const attackers: { words: number; change: string; uid: string }[] = [];
  const logs = counts.flatMap((count, row) =>
    Object.entries(changes).flatMap(([name, change], column): Log[] => {
      const random = createRandom(`${seed} ${count} ${name}`);
      const [victim, uid] = [`1${row}${column}`, `2${row}${column}`];
      attackers.push({ words: count, change: name, uid });
      const taken = Array.from({ length: LOGS }, () => shortOf(random, count));
      const originals = honestLogs(victim, random, count).map((log, place): Log => {
        const short = taken[place] as Short;
        return { ...log, body: bodyOf(random, short) };
      });
      const own = honestLogs(uid, random, count).map((log, place): Log => {
        const short = taken[place - BEFORE];
        if (!short || place >= BEFORE + COPIES) return log;
        return { ...log, body: bodyOf(random, change(short, random)) };
      });
      return [...originals, ...own];
    }),
  );
  return { logs, attackers };
}
