import type { Archetype } from '../../cli/local/demo/archetypes.ts';
import { createCompetition, type DemoLog, type DemoTeam, FIRST_DAY } from '../../cli/local/demo/competition.ts';
import { writerOf } from '../../cli/local/demo/prose.ts';
import { createRandom, type Random } from '../../cli/local/demo/random.ts';
import type { Reason } from '../../cli/review/figures/reasons.ts';

/** The logs of another team that each attack takes. */
const COPIES = 60;
/** The copies of an attack of which each of several ways must be found. */
const LEAST_COPIES = 45;

export interface Attack {
  /** What the report finds all the same. */
  readonly found: readonly Reason[];
  /** The fewest copies that it counts, both ways, where each of several ways must be found. */
  readonly leastCopies?: number;
  /** How the attacker behaves besides, and whether it takes texts of another team, by default. */
  readonly as?: Archetype;
  readonly text?: (text: string, random: Random) => string;
  /** Changes what a log says. */
  readonly said?: (said: Said, random: Random) => Said;
  /** Logs of random words beside those of the attack: their number, and the seconds from one to the next. */
  readonly beside?: readonly [count: number, seconds: number];
  /** Changes orders and logs. */
  readonly team?: (team: DemoTeam) => DemoTeam;
}

/** What a log says. The service accepts other members too. */
type Said = Readonly<Record<string, unknown> & Record<'input' | 'output', object> & { explanation: string }>;

const SAYS_NOTHING = { output: { action: 'buy' }, explanation: 'See above.' };

const TRADE = { symbol: 'BTCUSDT', side: 'buy', price: 91_000, size: 1 } as const;
const prose = (random: Random) => writerOf('prose', random, 0, TRADE)(random, TRADE).explanation;
const letters = (random: Random, count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(random.between(97, 122))).join('');
const randomWords = (random: Random, count: number) =>
  Array.from({ length: count }, () => letters(random, random.between(3, 8))).join(' ');
const eachWord = (text: string, change: (word: string, place: number) => string) => {
  let place = 0;
  return text.replace(/\p{L}+/gu, (word) => change(word, place++));
};
const LIKE: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  'aᴀ eᴇ iɪ oø lł tŧ dđ rʀ nɴ'.split(' ').map(([letter = '', like]) => [letter, like]),
);

const LEET: Readonly<Record<string, string | undefined>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' };

const rot13 = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + (letter.toLowerCase() < 'n' ? 13 : -13));

const inSquare = (letter: string) => String.fromCodePoint(0x1f170 + letter.charCodeAt(0) - 97);

/** Puts the texts of an output into the names of its properties. */
const inNames = ({ output, ...said }: Said): Said => ({
  ...said,
  output: Object.fromEntries(Object.entries(output).map(([name, value]) => [`${name} ${value}`, 1])),
});

/** Changes each text in one of some ways. */
const oneOf =
  <Changed>(...ways: readonly ((changed: Changed, random: Random) => Changed)[]) =>
  (changed: Changed, random: Random) =>
    random.pick(ways)(changed, random);

/** Adds a short log in time about each order. */
const addPlaceholders = (team: DemoTeam): DemoTeam => ({
  ...team,
  logs: team.orders
    .map(({ orderId, placedAt, side, size, price }): DemoLog => {
      const log = {
        stage: 'Order',
        model: 'GPT-5-mini',
        input: { side },
        output: { side, size, price },
        explanation: 'Sent.',
      };
      return { signedAt: placedAt + 3000, body: `{"orderId":${orderId},${JSON.stringify(log).slice(1)}` };
    })
    .concat(team.logs),
});

/** Trades one symbol every nine minutes, and keeps the log of each fiftieth order only. */
const nameFew = ({ orders: [first], logs, ...team }: DemoTeam): DemoTeam => {
  const orders = Array.from({ length: 450 }, (_, n) => ({
    ...(first as DemoTeam['orders'][number]),
    orderId: String(BigInt(first?.orderId ?? 0) + BigInt(n)),
    placedAt: FIRST_DAY + n * 9 * 60_000,
  }));
  const kept = orders
    .filter((_order, n) => n % 50 === 0)
    .map(({ orderId, placedAt }, n): DemoLog => {
      const { body } = logs[n] as DemoLog;
      return { signedAt: placedAt + 5000, body: `{"orderId":${orderId},${body.replace(/^\{("orderId":\d+,)?/, '')}` };
    });
  return { ...team, orders, logs: kept };
};

/** Gives each log what another one says, seven logs later. */
const mixUp = ({ logs, ...team }: DemoTeam): DemoTeam => ({
  ...team,
  logs: logs.map((log, place) =>
    change(log, () => {
      const { orderId: _orderId, ...said } = JSON.parse(logs[(place + 7) % logs.length]?.body ?? '');
      return said;
    }),
  ),
});

/** Makes each order a thousandth of its size, and places three others of size 5 some minutes later. */
const explainTiny = ({ orders, ...team }: DemoTeam): DemoTeam => ({
  ...team,
  orders: orders.flatMap((order) => [
    { ...order, size: order.size / 1000 },
    ...[4, 6, 8].map((minutes) => ({
      ...order,
      orderId: `${order.orderId}${minutes}`.slice(1),
      placedAt: order.placedAt + minutes * 60_000,
      size: 5,
    })),
  ]),
});

/** Ways to hide what the report finds. docs/review.md lists them, with what each leaves behind. */
export const attacks: Readonly<Record<string, Attack>> = {
  'nothing is hidden': { found: ['copies'] },
  'other numbers': {
    text: (text, random) => text.replace(/\d+/g, () => String(random.between(1, 99_999))),
    found: ['copies'],
  },
  'hyphens, capitals or digits in words, or no spaces': {
    text: oneOf(
      (text) => eachWord(text, (word) => word.charAt(0).toUpperCase() + word.slice(1)).replaceAll(' ', ''),
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}-${word.slice(2)}`),
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}${word.slice(2).toUpperCase()}`),
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}7${word.slice(2)}`),
      (text) => eachWord(text, (word) => word.replace(/..(?=.)/g, '$&3')),
    ),
    found: ['other trade', 'copies'],
    leastCopies: LEAST_COPIES,
  },
  'small capitals, strokes or squares in words': {
    text: oneOf(
      (text) => eachWord(text, (word) => word.replace(/[aeioltdrn]/, (letter) => LIKE[letter] ?? letter)),
      (text) => eachWord(text, (word) => word.replace(/[a-z]/, inSquare)),
    ),
    found: ['other trade', 'copies'],
    leastCopies: LEAST_COPIES,
  },
  'logs of random words beside the copies': { beside: [1300, 10], found: ['copies', 'many logs'] },
  'an invisible character in each word': {
    text: (text) => eachWord(text, (word) => `${word.slice(0, 1)}\u034f${word.slice(1)}`),
    found: ['other trade', 'copies', 'hidden characters'],
  },
  'words misspelled, swapped, replaced or between others': {
    text: oneOf(
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}丨${word.slice(2)}`),
      (text) => eachWord(text, (word) => word.replace(/(?<=..).$/, 'x')),
      (text) => text.replace(/(\p{L}+) (\p{L}+)/gu, '$2 $1'),
      (text, random) => eachWord(text, (word, place) => (place % 5 ? word : letters(random, word.length))),
      (text, random) => eachWord(text, (word, place) => (place % 2 ? `${word} ${letters(random, 5)}` : word)),
    ),
    found: [],
  },
  'tags or entities of HTML in words': {
    text: oneOf(
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}<b></b>${word.slice(2)}`),
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}<wbr>${word.slice(2)}`),
      (text) => eachWord(text, (word) => `${word.slice(0, 2)}&shy;${word.slice(2)}`),
    ),
    found: ['other trade'],
  },
  'vowels dropped, or letters doubled': {
    text: oneOf(
      (text) => eachWord(text, (word) => word.replace(/(?<=.)[aeiou]/g, '')),
      (text) => eachWord(text, (word) => word.replace(/(?<=.)[aeiou]/, '')),
      (text) => eachWord(text, (word) => word.replace(/./g, '$&$&')),
      (text) => eachWord(text, (word) => word.replace(/.$/, '$&$&')),
    ),
    found: ['other trade'],
  },
  'the text backwards, in Base64, hex, ROT13 or leet': {
    text: oneOf(
      (text) => [...text].reverse().join(''),
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('hex'),
      (text) => text.replace(/[a-z]/gi, rot13),
      (text) => text.replace(/[aeiost]/gi, (letter) => LEET[letter.toLowerCase()] ?? letter),
    ),
    found: ['other trade'],
  },
  'the text in names of properties, or each letter a value': {
    said: oneOf(inNames, ({ output, ...said }) => ({
      ...said,
      output: { text: [...String(Object.values(output))] },
    })),
    found: ['copies'],
    leastCopies: LEAST_COPIES,
  },
  'each word a value with a random name': {
    said: ({ output, ...said }, random) => ({
      ...{ ...said, explanation: 'See above.' },
      output: Object.fromEntries(
        `${Object.values(output)} ${said.explanation}`.split(' ').map((word) => [letters(random, 6), word]),
      ),
    }),
    found: ['copies'],
  },
  'the text in the input or another member, a word as output': {
    said: oneOf(
      ({ input, output, explanation }) => ({ ...SAYS_NOTHING, input: { ...input, output, explanation } }),
      ({ input, output, explanation }) => ({ ...SAYS_NOTHING, input, notes: { output, explanation } }),
    ),
    found: [],
  },
  'sentences in another order': {
    text: (text, random) => random.shuffle(text.split('. ')).join('. '),
    found: ['copies'],
  },
  'filler as long as the copy': { text: (text, random) => `${text} ${prose(random)}`, found: ['copies'] },
  'filler twice as long as the copy': {
    text: (text, random) => `${prose(random)} ${text} ${prose(random)}`,
    found: [],
  },
  'a template with 60 random words': {
    as: 'templated',
    text: (text, random) => `${text} ${randomWords(random, 60)}`,
    found: [],
  },
  'a template in names of properties': { as: 'templated', said: inNames, found: ['template'] },
  'a decision again, with invented prices': {
    as: 'replaying',
    said: ({ input, ...said }, random) => ({ ...said, input: { ...input, price: random.between(1, 99_999) } }),
    found: ['other trade', 'template'],
  },
  'a log of random words every 100 s, in place of others': {
    as: 'stopped',
    beside: [2592, 100],
    found: ['few named', 'many logs'],
  },
  'a placeholder in time, the reasoning later': { as: 'late', team: addPlaceholders, found: [] },
  'a named order every ten minutes, in place of all': { as: 'honest', team: nameFew, found: [] },
  'logs of other trades than those of their orders': { as: 'structured', team: mixUp, found: ['other trade'] },
  'a number and “ok” for each order': {
    as: 'structured',
    said: () => ({ input: { x: 0.41 }, output: { x: 0.41 }, explanation: 'ok' }),
    found: ['repeats', 'says nothing'],
  },
  'a tiny order that is explained, before big ones': {
    as: 'structured',
    team: explainTiny,
    found: ['no log near', 'few named', 'silent'],
  },
  'prose that a model writes about the orders of a person': { as: 'honest', found: [] },
};

/** Changes what a log says. The order id keeps its digits. */
export function change({ body, ...log }: DemoLog, said: (before: Said) => Said): DemoLog {
  const [, id = ''] = /^\{("orderId":\d+,)?/.exec(body) ?? [];
  const { orderId: _orderId, ...before } = JSON.parse(body);
  return { ...log, body: `{${id}${JSON.stringify({ ...before, ...said(before) }).slice(1)}` };
}

/** What a team does, whatever is found. */
export type Play = Omit<Attack, 'found' | 'leastCopies'>;

/**
 * Makes a competition in which each attack has its attacker, and a team whose texts it takes.
 * @returns the teams as they are reviewed, and the attackers
 */
export function attackAll(
  seed: string,
  of: Readonly<Record<string, Play>>,
): { teams: DemoTeam[]; attackers: { readonly name: string; readonly team: DemoTeam }[] } {
  const kinds = Object.values(of).flatMap(({ as = 'honest' }) => [as, 'honest'] as const);
  const all = createCompetition(seed, FIRST_DAY, kinds);
  const pool = Map.groupBy(all, ({ archetype }) => archetype);
  const next = (archetype: Archetype) => (pool.get(archetype) ?? []).pop() as DemoTeam;
  const attackers = Object.entries(of).map(([name, attack]) => {
    const {
      as = 'honest',
      text = (same) => same,
      said = (same) => same,
      beside: [count, seconds] = [0, 0],
      team: finish = (same) => same,
    } = attack;
    const [team, victim] = [next(as), next('honest')];
    const random = createRandom(`${seed} ${name}`);
    const changed = ({ input, output, explanation }: Said): Said => {
      const texts = Object.entries(output).map(([key, value]) => [
        key,
        typeof value === 'string' && value.length > 40 ? text(value, random) : value,
      ]);
      return said({ input, output: Object.fromEntries(texts), explanation: text(explanation, random) }, random);
    };
    const taken = victim.logs.slice(0, COPIES).map(({ body }) => JSON.parse(body) as Said);
    const logs = team.logs.map((log, place): DemoLog => {
      if (attack.as) return change(log, changed);
      // Ten logs later, which is hours.
      const copied = taken[place - 10];
      return copied ? change(log, ({ input }) => changed({ ...copied, input })) : log;
    });
    const [first] = team.logs;
    const filler = Array.from({ length: count }, (_, n): DemoLog => {
      const log = change({ ...(first as DemoLog), signedAt: FIRST_DAY + n * seconds * 1000 }, ({ input }) => ({
        ...{ input, output: { note: randomWords(random, 40) }, explanation: randomWords(random, 40) },
      }));
      return { ...log, body: log.body.replace(/"orderId":\d+,/, '') };
    });
    return { name, team: finish({ ...team, logs: [...logs, ...filler] }) };
  });
  const changed = new Map(attackers.map(({ team }) => [team.uid, team]));
  return { teams: all.map((team) => changed.get(team.uid) ?? team), attackers };
}
