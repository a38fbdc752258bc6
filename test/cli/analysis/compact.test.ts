import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelRows } from '../../../cli/analysis/labels.ts';
import { readContent } from '../../../cli/analysis/logContent.ts';
import { factsOf } from '../../../cli/analysis/logFacts.ts';
import { collectClaims, findContestedOrders } from '../../../cli/analysis/orderClaims.ts';
import { createReview } from '../../../cli/analysis/reviewTeams.ts';
import type { SignedLog } from '../../../cli/analysis/signedLog.ts';
import { createSignedLogs } from '../../../cli/analysis/signedLogs.ts';
import { comparableWords } from '../../../cli/analysis/words.ts';
import { parseExactly } from '../../../cli/text/json.ts';

const limits = { within: 60_000, tolerance: 30_000 };

/** Logs as the service writes them, and as only a write past it can. */
const anyLog = fc.record(
  {
    uid: fc.constantFrom('1', '2', '3'),
    entryId: fc.oneof(
      fc.stringMatching(/^17630000000\d\d-[0-9a-f]{32}$/),
      fc.constantFrom('1763000000000-ABCDEF', '', '1763000000001-00ff00ff00ff00ff00ff00ff00ff00ff', 'é'),
    ),
    signedAt: fc.oneof(fc.integer({ min: 1_763_000_000_000, max: 1_763_000_000_099 }), fc.constantFrom(0, 0.5)),
    receivedAt: fc.integer({ min: 1_763_000_000_000, max: 1_763_000_000_099 }),
    orderId: fc.constantFrom(
      '7',
      '8',
      '590480926522704171',
      '9223372036854775807',
      '18446744073709551616',
      '07',
      'x',
      '-7',
    ),
  },
  { requiredKeys: ['uid', 'entryId', 'signedAt', 'receivedAt'] },
) as fc.Arbitrary<SignedLog>;

/** The entry id of a log that the service wrote begins with its time. */
const logs = fc.array(
  anyLog.map((log) => ({ ...log, entryId: log.entryId.replace(/^17630000000\d\d/, String(log.signedAt)) })),
  { maxLength: 40 },
);

const columnsOf = (all: readonly SignedLog[]) => {
  const kept = createSignedLogs();
  for (const log of all) kept.add(log);
  return kept.columns();
};

describe('the compact form of logs', () => {
  test('gives every log back as it was', () => {
    fc.assert(
      fc.property(logs, (all) => {
        const { at } = columnsOf(all);
        expect(all.map((_, index) => at(index))).toEqual(all);
      }),
    );
  });

  test('sorts by the time of the signature or of the receipt, then by id', () => {
    fc.assert(
      fc.property(logs, (all) => {
        const { at, compare, compareReceived } = columnsOf(all);
        const sorted = all.map((_, index) => index).sort(compare);
        const bySignature = (a: SignedLog, b: SignedLog) =>
          a.signedAt - b.signedAt || (a.entryId < b.entryId ? -1 : Number(a.entryId > b.entryId));
        expect(sorted.map(at)).toEqual([...all].sort(bySignature));
        const received = all.map((_, index) => index).sort(compareReceived);
        const byReceipt = (a: SignedLog, b: SignedLog) =>
          a.receivedAt - b.receivedAt || (a.entryId < b.entryId ? -1 : Number(a.entryId > b.entryId));
        expect(received.map(at)).toEqual([...all].sort(byReceipt));
      }),
    );
  });

  test('contests the orders that all logs together contest', () => {
    fc.assert(
      fc.property(logs, (all) => {
        const review = createReview(limits);
        for (const log of all) {
          const model = 'GPT-5';
          review.add({ ...log, model, stage: 's' }, () => factsOf({ ...log, bodySha256: '' }, readContent(undefined)));
        }
        const list = [{ uid: '1', orderId: '8', placedAt: 1_763_000_000_000 }];
        const { contested } = review.review(['1', '2', '3'], list);
        const byTeam = [...Map.groupBy(all, ({ uid }) => uid).values()].flatMap((ofTeam) =>
          ofTeam.sort(
            (a, b) => a.signedAt - b.signedAt || (a.entryId < b.entryId ? -1 : Number(a.entryId > b.entryId)),
          ),
        );
        expect(contested).toEqual(findContestedOrders(collectClaims(byTeam), (id) => (id === '8' ? '1' : undefined)));
      }),
    );
  });

  test('labels equal rows with the first of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('aaaabbbb', 'bbbbaaaa', 'aaaaaaaa', 'aaabbbbb', '\0\0\0\0\0\0\0\0')),
        (rows) => {
          const bytes = Uint8Array.from(Buffer.from(rows.join('')));
          expect([...labelRows(bytes, 8)]).toEqual(rows.map((row) => rows.indexOf(row)));
        },
      ),
    );
  });
});

describe('the fast way to read a body', () => {
  test('gives the data that the exact way gives', () => {
    const keys = fc.constantFrom('input', 'output', 'explanation', 'stage', '1', '__proto__');
    const anyValue = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(keys, anyValue), fc.constantFrom(0, 1), (log, space) => {
        const body = JSON.stringify(log, null, space);
        const { input, output } = parseExactly(body) as Record<string, unknown>;
        expect(readContent(body).data).toBe(JSON.stringify([input, output]));
      }),
    );
  });

  test.each([
    ['1.0', '1'],
    ['1e2', '100'],
    ['9007199254740993', '9007199254740992'],
    ['-0', '0'],
    ['0.10000000000000000001', '0.1'],
  ])('%s and %s are different data', (a, b) => {
    const [one, other] = [a, b].map(
      (n) => readContent(`{"input":{"n":${n}},"output":{"a":"b"},"explanation":"e"}`).data,
    );
    expect(one).toContain(a);
    expect(one).not.toBe(other);
  });

  test.each([
    [1000, '"x"'],
    [1001, undefined],
  ])('a body nested %d levels deep', (depth, inside) => {
    const body = `{"input":${'['.repeat(depth - 1)}"x"${']'.repeat(depth - 1)},"output":{}}`;
    const { data } = readContent(body);
    if (inside === undefined) expect(data).toBeUndefined();
    else expect(data).toContain(inside);
  });

  test('finds the same words in ASCII as in other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        // A letter that is not ASCII makes the text take the slow way.
        expect([...comparableWords(text).words, 'e']).toEqual(comparableWords(`${text} é`).words);
      }),
    );
  });
});

test('an entry id that begins with another time than the signature stays as it is', () => {
  const log = { uid: '1', entryId: `1763000000001-${'0f'.repeat(16)}`, signedAt: 1_763_000_000_000, receivedAt: 5 };
  const logs = createSignedLogs();
  logs.add(log);
  expect(logs.columns().at(0)).toEqual(log);
});
