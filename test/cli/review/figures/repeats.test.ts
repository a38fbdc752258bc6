import { describe, expect, test } from 'vitest';
import { memberRows, type RepeatGroup, sayRelated } from '../../../../cli/review/figures/repeats.ts';
import { chineseProse, englishProse, templatedProse } from './prose.ts';
import { apart, type Log, reviewOf, rowOf, T0 } from './review.ts';

const [PROSE = '', OTHER = ''] = englishProse;
const base = { stage: 'Decision', model: 'GPT-5', input: { id: 1 }, output: { text: PROSE }, explanation: OTHER };

/** Returns logs with bodies, which are signed and received 61 seconds apart. */
const logsOf = (bodies: readonly (readonly [uid: string, body: object])[]): Log[] =>
  bodies.map(([uid, body], n) => ({ uid, second: n * 61, received: n * 61, body: JSON.stringify(body) }));

type Logged = { readonly uid: string; readonly signed_at: number; readonly received_at: number };

/** Returns which logs repeat which, by the place of their time: `1 own body 0`. */
function describeRepeats(groups: readonly RepeatGroup[], placeOf: (log: Logged) => number): string[] {
  return groups.flat().flatMap((member) =>
    (['own', 'other'] as const).flatMap((which) => {
      const repeat = member[which];
      const relation = which === 'own' ? 'own' : member.log.relation;
      return repeat ? [`${placeOf(member.log)} ${relation} ${repeat.kind} ${placeOf(repeat.of)}`] : [];
    }),
  );
}

const repeatsIn = async (bodies: Parameters<typeof logsOf>[0], twice = false) =>
  describeRepeats((await reviewOf(logsOf(bodies), { twice })).groups, ({ signed_at }) => (signed_at - T0) / 61_000);

test('a log repeats an earlier one by the strongest kind, of its own team or of another', async () => {
  const text = (n: number) => englishProse[n] as string;
  // Each case is a team with texts of its own.
  // biome-ignore format: one case a line
  const cases: readonly (readonly [object, object, string | undefined])[] = [
    [{ ...base }, { ...base }, 'body'],
    [{ ...base, output: { text: text(2) }, explanation: text(3) }, { ...base, output: { text: text(2) }, explanation: 'Something else entirely.' }, 'data'],
    [{ ...base, explanation: 'So.', output: { text: `${text(4)} At 10:15.` } }, { ...base, explanation: 'Else.', output: { text: `${text(4)} At 11:20.` } }, 'output'],
    [{ ...base, output: { text: text(9), id: 5 }, explanation: text(10) }, { ...base, output: { text: text(9).replace('volume', 'size') }, explanation: text(10) }, 'near'],
    [{ ...base, output: { text: text(5) }, explanation: text(6) }, { ...base, output: { text: text(7) }, explanation: text(8) }, undefined],
  ];
  const logs = logsOf([
    ...cases.map(([one], n) => [String(n), { ...one, input: { seq: n } }] as const),
    ...cases.map(([, other, kind], n) => {
      const input = kind === 'output' || kind === 'near' ? { seq: n, id: 2 } : { seq: n };
      return [String(n), { ...other, input }] as const;
    }),
  ]);
  const place = ({ signed_at }: Logged) => (signed_at - T0) / 61_000;
  const found = describeRepeats((await reviewOf(logs)).groups, place);
  expect(found).toEqual(cases.flatMap(([, , kind], n) => (kind ? [`${n + cases.length} own ${kind} ${n}`] : [])));
  // An original counts wherever it is, a repeat in the period only.
  const middle = T0 + 61_000 * cases.length;
  const late = await reviewOf(logs, { limits: { since: middle } });
  expect(cases.map((_case, n) => late.of(String(n)).ownRepeats)).toEqual(cases.map(([, , kind]) => (kind ? 1 : 0)));
  expect(late.groups).toHaveLength(cases.filter(([, , kind]) => kind).length);
  expect((await reviewOf(logs, { limits: { until: middle } })).groups).toEqual([]);

  const copied = [
    ['1', base],
    ['2', { ...base, explanation: 'Else.' }],
  ] as const;
  expect(await repeatsIn(copied, true)).toEqual(['1 copy data 0']);
});

test('the author of a text stays its author when the period begins after it', async () => {
  const texts = englishProse
    .slice(0, 10)
    .map((text, n) => ({ ...base, input: { id: n }, output: { text }, explanation: 'x' }));
  const day = 86_400;
  const sent = (uid: string, from: number) =>
    texts.map((body, n): Log => ({ uid, second: from + n, received: from + n, body: JSON.stringify(body) }));
  // V writes, A copies in the first seconds of the next day, and V uses its texts again.
  const logs = [...sent('V', 0), ...sent('A', day), ...sent('V', day + 600)];
  for (const limits of [{}, { since: T0 + day * 1000 }]) {
    const { of } = await reviewOf(logs, { limits });
    expect([limits, of('A').copies, of('A').ownRepeats, of('V').copies, of('V').ownRepeats]).toEqual([
      limits,
      10,
      0,
      0,
      10,
    ]);
  }
  // Without an order list, the copy of the day before is not in the period, and its copier is not accused there.
  const { of, groups } = await reviewOf(logs, { limits: { since: T0 + day * 1000 + 500_000 } });
  expect([of('V').entries, of('V').copies, groups.length]).toEqual([10, 0, 10]);
});

test('an author who comes to the words of a copy of its own text copies nobody', async () => {
  // Longer than what is a frame, so that other data hide nothing.
  const bodyOf = (n: number, end: string) => {
    const output = { text: `${englishProse[n]} ${englishProse[n + 3]}`, n };
    return { ...base, input: { id: `${n}${end}` }, output, explanation: `${englishProse[n + 6]} ${end}` };
  };
  const [first, second] = ['The stop is tight.', 'The stop is wide.'];
  const sent = [
    ['V', first],
    ['A', second],
    ['V', second],
  ] as const;
  const { of } = await reviewOf(
    logsOf(sent.flatMap(([uid, end]) => [0, 1, 2].map((n) => [uid, bodyOf(n, end)] as const))),
  );
  expect(['V', 'A'].map((uid) => of(uid).copies)).toEqual([0, 3]);
});

test('a short text counts within a team, not between teams', async () => {
  const short = { ...base, output: { action: 'hold' }, explanation: 'No clear signal.' };
  const bodies = ['1', '2', '1'].map((uid, n) => [uid, { ...short, input: { id: n } }] as const);
  expect(await repeatsIn(bodies)).toEqual(['2 own text 0']);
});

test('groups come by their size, then by their first log', async () => {
  const texts = [0, 1, 2, 1, 0, 1, 2, 3];
  const bodies = texts.map((text, n) => ({ ...base, input: { id: n }, output: { text: englishProse[text] } }));
  const { groups } = await reviewOf(logsOf(bodies.map((body) => ['1', { ...body, explanation: 'x' }])));
  expect(groups.map((group) => group.map(({ log }) => (log.signed_at - T0) / 61_000))).toEqual([
    [1, 3, 5],
    [0, 4],
    [2, 6],
  ]);
});

test('invisible characters and accents in a copy change nothing', async () => {
  const hidden = ['\ufe00', '\u{e0100}', '\u034f', '\u180b', '\u115f', '\u3164', '\uffa0', '\u17b4', '\u0301'];
  // Each copy is of a text, and a team, of its own.
  const pairs = hidden.flatMap((mark, index) => {
    let n = 0;
    const text = englishProse[index] as string;
    const copy = text.replace(/[a-z]+/gi, (word) => (n++ % 3 === 0 ? `${word[0]}${mark}${word.slice(1)}` : word));
    return [text, copy].map((text, place) => {
      return [`${index}${place}`, { ...base, input: { id: place }, output: { text }, explanation: '' }] as const;
    });
  });
  expect(await repeatsIn(pairs)).toEqual(hidden.map((_mark, index) => `${2 * index + 1} copy output ${2 * index}`));
});

test('within a team, the time of signing decides, then the entry id', async () => {
  const row = (entry_id: string, second: number, received: number) => ({
    ...rowOf({ uid: '1', second, received, body: JSON.stringify(base) }),
    entry_id,
  });
  const { groups } = await reviewOf([row('c', 10, 20), row('b', 5, 25), row('a', 5, 30)]);
  const repeated = groups.flat().map(({ log, own }) => `${log.entry_id} ${own?.of.entry_id}`);
  expect(repeated).toEqual(['c a', 'b a', 'a undefined']);
});

describe('between teams, the time of receipt decides', () => {
  // biome-ignore format: one case a line
  const cases: readonly (readonly [string, readonly (readonly [uid: string, second: number, received: number])[], readonly string[]])[] = [
    ['who signs an earlier time and uploads later copies', [['1', 100, 101], ['2', 75, 162]], ['1 copy 0']],
    ['25 s later, signed 25 s back', [['1', 100, 101], ['2', 75, 126]], ['0 same time 1', '1 same time 0']],
    ['60 s later', [['1', 100, 101], ['2', 100, 161]], ['0 same time 1', '1 same time 0']],
    ['60 s earlier', [['1', 100, 101], ['2', 100, 41]], ['0 same time 1', '1 same time 0']],
    ['a millisecond more', [['1', 100, 101], ['2', 100, 161.001]], ['1 copy 0']],
    ['a team that was there at the same time does not copy when it repeats itself',
      [['1', 0, 0.1], ['2', 30, 30.1], ['2', 500, 500.1], ['1', 600, 600.1]],
      ['0 same time 1', '1 same time 0', '2 own 1', '3 own 0']],
    ['what three teams use belongs to none of them', [['1', 0, 0], ['2', 30, 30], ['1', 300, 300], ['3', 700, 700]],
      ['0 shared 1', '1 shared 0', '2 own 0', '2 shared 1', '3 shared 0']],
  ];

  test('at the same time up to 60 s, and nobody copies then', async () => {
    // Each case has a text of its own, and teams of its own.
    const logs = cases.flatMap(([, logs], n) =>
      logs.map(([uid, second, received], place): Log & { place: number } => ({
        ...{ uid: `${n}${uid}`, second, received, place },
        body: JSON.stringify({ input: { seq: place, id: n }, output: { text: englishProse[n] }, explanation: '' }),
      })),
    );
    const { groups } = await reviewOf(logs);
    for (const [n, [name, ofCase, expected]] of cases.entries()) {
      const group = groups.find((one) => one.some(({ log }) => log.uid.startsWith(String(n)))) as RepeatGroup;
      const placeOf = ({ uid, received_at }: Logged) =>
        ofCase.findIndex(([team, , at]) => uid === `${n}${team}` && received_at === T0 + Math.round(at * 1000));
      const found = describeRepeats([group], placeOf).map((text) =>
        text.replace(/ (output|data|body|text|near)\b/, ''),
      );
      expect([name, ...found.sort()]).toEqual([name, ...expected]);
    }
  });

  test('the counts of both teams are the same', async () => {
    const logs = englishProse.flatMap((text, n): Log[] => {
      const body = JSON.stringify({ ...base, input: { id: n }, output: { text } });
      return [
        { uid: '1', second: n * 1000, body },
        { uid: '2', second: n * 1000 - 25, received: n * 1000 + 2, body },
      ];
    });
    const { of } = await reviewOf(logs);
    for (const uid of ['1', '2']) expect([of(uid).sameTime, of(uid).copies]).toEqual([12, 0]);
  });
});

test('a reader learns what is repeated, from whom, and how much earlier that was sent', async () => {
  const near = JSON.stringify({ ...base, input: { id: 4 }, output: { text: PROSE.replace('spread', 'gap') } });
  const { groups } = await reviewOf([
    { uid: '1', second: 0, received: 0, body: JSON.stringify(base) },
    { uid: '2', second: 8460, received: 8460, body: JSON.stringify({ ...base, input: { id: 3 }, explanation: 'y' }) },
    { uid: '2', second: 9000, body: JSON.stringify({ ...base, input: { id: 3 }, explanation: 'y' }) },
    { uid: '2', second: 9100, received: 9100, body: near },
  ]);
  const said = memberRows(groups[0] as RepeatGroup, 5).map((row) => [row.uid, row['what it repeats']]);
  expect(said).toEqual([
    ['1', 'first'],
    ['2', 'the same output, received 2 h 21 min earlier from 1'],
    ['2', 'the same output, received 2 h 30 min earlier from 1'],
    ['2', expect.stringMatching(/^a similar text \(\d\d %\), received 2 h 31 min earlier from 1$/)],
  ]);
  const about = { kind: 3, places: null, earlier: 0 };
  expect(sayRelated({ ...about, relation: 'same time' }, '2')).toBe(
    'the same output, received at the same time from 2',
  );
  expect(sayRelated({ ...about, relation: 'shared' }, '2')).toBe('the same output, shared with 2');
});

test('what a log repeats of another team is said before what it repeats of its own', async () => {
  const said = { ...base, explanation: 'Else.' };
  const [group = []] = (
    await reviewOf(
      logsOf([
        ['1', base],
        ['2', said],
        ['2', said],
      ]),
    )
  ).groups;
  expect([group[2]?.own?.kind, group[2]?.other?.kind]).toEqual(['body', 'data']);
  expect(memberRows(group, 9)[2]?.['what it repeats']).toMatch(/, received 2 min 2 s earlier from 1$/);
});

test('a long text with other data is no repeat, but fills a template after an hour', async () => {
  const ofTemplate = (n: number) => `${templatedProse[0]?.[n % 8]} ${OTHER} ${englishProse[2]} At ${n}.`;
  const bodies = (texts: readonly string[]) =>
    texts.map((text, id) => ['1', { ...base, input: { id }, output: { text }, explanation: 'See above.' }] as const);
  expect((await reviewOf(logsOf(bodies([...englishProse, ...chineseProse])))).of('1')).toMatchObject({ templates: 0 });
  // A minute and a second apart, so that only the last one comes more than an hour after the first.
  const { of, groups } = await reviewOf(logsOf(bodies(Array.from({ length: 61 }, (_, n) => ofTemplate(n)))));
  expect(of('1')).toMatchObject({ ownRepeats: 0, templates: 1 });
  const said = groups.flatMap((group) => memberRows(group, 20)).map((row) => row['what it repeats']);
  expect(said).toEqual(['first', 'one text with other data, first sent 1 h 1 min earlier by itself']);
});

describe('a text with other data', () => {
  const bodyOf = (uid: string, price: number, text = PROSE) =>
    [
      uid,
      {
        ...base,
        input: { id: `${uid} ${price}` },
        output: { text, price },
        explanation: `${OTHER} ${englishProse[2]}`,
      },
    ] as const;

  // biome-ignore format: one case a line
  const cases = [
    ['is a copy if its author used it once', [bodyOf('1', 1), bodyOf('2', 2)], 1],
    ['is a copy if its author used it again with the same data', [bodyOf('1', 1), bodyOf('1', 1), bodyOf('1', 1), bodyOf('2', 2)], 1],
    ['is none if its author fills it with data', [bodyOf('1', 1), bodyOf('1', 2), bodyOf('1', 3), bodyOf('2', 4)], 0],
    ['is one then with the data of a log', [bodyOf('1', 1), bodyOf('1', 2), bodyOf('1', 3), bodyOf('2', 2)], 1],
    ['is a copy if it is long and nearly the same', [bodyOf('1', 1), bodyOf('2', 2, PROSE.replace('spread', 'gap'))], 1],
    ['is none if it is short and nearly the same', [bodyOf('1', 1), bodyOf('2', 2, PROSE.replace('spread', 'gap'))].map(([uid, body]) => [uid, { ...body, explanation: '' }] as const), 0],
  ] as const;

  test('counts by how its author uses it', async () => {
    const { of } = await reviewOf(cases.flatMap(([, bodies], n) => apart(logsOf(bodies), n)));
    const found = cases.map(([name], n) => [name, of(`${n}2`).copies]);
    expect(found).toEqual(cases.map(([name, , copies]) => [name, copies]));
  });
});

test('a text of 400 letters is long', async () => {
  const row = (uid: string, second: number, prose: number, end: string) => ({
    ...rowOf({ uid, second, body: bodyOf(uid, end) }),
    prose,
  });
  const bodyOf = (uid: string, end: string) =>
    JSON.stringify({
      ...base,
      input: { id: uid, second: end },
      explanation: `${OTHER} ${end}`,
      output: { text: PROSE, end },
    });
  for (const [prose, copies, templates] of [
    [399, 0, 0],
    [400, 1, 1],
  ] as const) {
    const { of } = await reviewOf([
      row('1', 0, prose, 'one 1'),
      row('2', 99, prose, 'two 2'),
      row('1', 3700, prose, 'ten 3'),
    ]);
    expect([prose, of('2').copies, of('1').templates]).toEqual([prose, copies, templates]);
  }
});

test.each([
  [0.4, false],
  [0.65, true],
])('texts of a similarity of %d: near-duplicates is %s', async (similarity, isNear) => {
  // Each of these characters is a piece.
  const textFrom = (first: number, count: number) =>
    String.fromCharCode(...Array.from({ length: count }, (_, n) => 0x4e00 + first + n));
  const shared = Math.round((400 * similarity) / (1 + similarity));
  const text = (name: string) => textFrom(0, shared) + textFrom(name === 'x' ? 1000 : 2000, 200 - shared);
  const bodies = ['x', 'y'].map(
    (name, n) => ['1', { ...base, input: { id: n }, output: { text: text(name) }, explanation: '' }] as const,
  );
  expect(await repeatsIn(bodies)).toEqual(isNear ? ['1 own near 0'] : []);
});
