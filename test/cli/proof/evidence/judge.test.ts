import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judged, judgePlace, stateOf, WORDS, type Word } from '../../../../cli/proof/evidence/judge.ts';
import { sentencesOf } from '../../../../cli/proof/evidence/sentences.ts';
import { verify } from '../../../../cli/proof/evidence/verify.ts';
import { openCheckpoint } from '../../../../functions/tlog/openCheckpoint.ts';
import { runs } from '../../../setup/runs.ts';
import { HEADER, headerWith, policyIn, RECEIPT, textOf, VECTORS, vectors } from '../../../vectors/evidence/vectors.ts';

const policy = policyIn('tlog.policy');
const verdictsOf = (content: string | Buffer) => Array.fromAsync(verify([Buffer.from(content)], { policy }));
const wordsOf = async (content: string | Buffer): Promise<Word[]> =>
  (await verdictsOf(content)).map(({ word }) => word);
const lines = (...all: object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');
const [checkpoint, decision, risk] = textOf('statement.jsonl')
  .split('\n', 3)
  .map((line) => JSON.parse(line));

test('a statement with any character changed is never ok as a whole', async () => {
  const statement = textOf('statement.jsonl').replace(/\n— witness[^\n]*?\\n/, '');
  const whole = statement.replace(/— witness\.example\.net \S+?\\n/, '');
  expect(await wordsOf(whole)).toEqual(Array(5).fill('ok'));
  const property = fc.asyncProperty(
    fc.nat(whole.length - 2),
    fc.constantFrom('0', 'A', 'z', '"', ' '),
    async (at, to) => {
      const changed = whole.slice(0, at) + to + whole.slice(at + 1);
      // Spaces between the members of JSON change nothing.
      fc.pre(changed !== whole && to !== ' ');
      expect(await wordsOf(changed), `${at}: ${changed.slice(at - 20, at + 20)}`).not.toEqual(Array(5).fill('ok'));
    },
  );
  await fc.assert(property, runs(300, 20_000));
});

test('an entry without a receipt is late only if it was received since the first commit', async () => {
  const opened = openCheckpoint(checkpoint.checkpoint, policy);
  const wanted = { entryHash: Buffer.alloc(32), receivedAt: 1000, deadline: 2000, origin: undefined };
  const wordOf = async (began: number) => {
    const asked = { log: { checkpoint: opened, cursor: 9000, began }, policy };
    return (
      await judgePlace(
        judged(() => {}),
        wanted,
        { index: 0, cameAt: 3000 },
        asked,
      )
    ).word;
  };
  expect([await wordOf(999), await wordOf(1000), await wordOf(1001)]).toEqual(['LATE', 'LATE', 'ok']);
});

test.each([-30_001, -30_000, 30_000, 30_001])('a receipt of %i ms after the signed timestamp', async (delay) => {
  const receivedAt = Number(RECEIPT.entryId.slice(0, 13)) + delay;
  const [verdict] = await verdictsOf(await headerWith({ receivedAt, deadline: receivedAt + 600_000 }));
  const isFar = Math.abs(delay) > 30_000;
  const wrong = isFar ? ['It was received more than 30 s from the timestamp that was signed'] : [];
  expect([verdict?.word, verdict?.wrong]).toEqual([isFar ? 'WRONG' : 'ok', wrong]);
});

test('a quorum had seen a log when the last witness that it needs had', () => {
  const cosigned = new Map([4, 1, 3, 2].map((time, at) => [`w${at}`, time]));
  const opened = { ...openCheckpoint(checkpoint.checkpoint, policy), cosigned };
  const members = ['w0', 'w1', 'w2', 'offline'];
  const seenBy = [0, 1, 2, 3, 4].map((threshold) => {
    return stateOf(opened, { ...policy, quorum: { threshold, members } }).seenBy;
  });
  expect(seenBy).toEqual([undefined, 1000, 3000, 4000, undefined]);
});

test('no bytes make it throw', async () => {
  const files = vectors.map(({ name }) => readFileSync(VECTORS + name));
  const property = fc.asyncProperty(
    fc.constantFrom(...files),
    fc.nat(),
    fc.uint8Array({ maxLength: 8 }),
    async (file, at, bytes) => {
      const from = at % (file.length + 1);
      for (const word of await wordsOf(Buffer.concat([file.subarray(0, from), bytes, file.subarray(from)]))) {
        expect(WORDS).toContain(word);
      }
    },
  );
  await fc.assert(property, runs(200, 5000));
});

describe('a line', () => {
  // biome-ignore format: one case a line
  test.each<[string, object, Word]>([
    ['with members that evidence does not have', { receipt: HEADER, uid: 'another', model: 7, __proto__: 1 }, 'ok'],
    ['with the entry id of its receipt', { receipt: HEADER, id: RECEIPT.entryId }, 'ok'],
    ['with a receipt that is a number', { receipt: 7 }, 'WRONG'],
    ['with an entry that is a list', { entry: ['1001'] }, 'WRONG'],
    ['with a time beyond 2^53', { entry: decision.entry.replace(/,(\d{13}),/, ',9007199254740993,') }, 'WRONG'],
    ['with a proof of numbers', { ...decision, proof: [7] }, 'WRONG'],
    ['with an index below the tree', { ...decision, index: -1 }, 'WRONG'],
    ['with an index that is no integer', { ...decision, index: 0.5 }, 'WRONG'],
    ['with the proof of another entry', { ...decision, index: risk.index, proof: risk.proof }, 'WRONG'],
    ['with the body of another entry', { ...decision, body: risk.body }, 'WRONG'],
  ])('%s', async (_name, line, word) => {
    expect((await wordsOf(lines(checkpoint, line))).at(-1)).toBe(word);
  });

  test('of a receipt of another log than its proof is WRONG', async () => {
    const other = { ...policy, receipts: [...policy.receipts] };
    const header = await headerWith({ origin: 'other.example.com/ailog' });
    const name = 'other.example.com/ailog/receipts';
    const key = { ...(policy.receipts[0] as (typeof policy.receipts)[number]), name };
    const { verifierKey } = await import('../../../../functions/c2sp/verifierKey.ts');
    other.receipts.push(verifierKey(name, key.publicKey));
    const content = Buffer.from(lines(checkpoint, { ...decision, receipt: header }));
    const verdicts = await Array.fromAsync(verify([content], { policy: other }));
    expect(verdicts[1]).toMatchObject({ word: 'WRONG', wrong: [expect.stringContaining('other.example.com/ailog')] });
  });

  test('longer than 16 MiB is WRONG, and the lines after it are judged', async () => {
    const longest = ' '.repeat(16 * 1024 * 1024);
    expect(await wordsOf(`${longest} \n${HEADER}`)).toEqual(['WRONG', 'ok']);
    expect(await wordsOf(`${longest}\n${HEADER}`)).toEqual(['ok']);
  });

  test('is read whatever pieces its file comes in', async () => {
    const file = readFileSync(`${VECTORS}statement.jsonl`);
    for (const size of [1, 7, 4096]) {
      const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, at) =>
        file.subarray(at * size, (at + 1) * size),
      );
      const verdicts = await Array.fromAsync(verify(pieces, { policy }));
      expect(verdicts.map(({ word }) => word)).toEqual(Array(5).fill('ok'));
    }
  });
});

test('a second sentence about what is wrong changes no word', async () => {
  const wrong = { ...decision, body: risk.body, index: 1, id: 'x' };
  const [, verdict] = await verdictsOf(lines(checkpoint, wrong));
  expect(verdict).toMatchObject({ word: 'WRONG', wrong: { length: 3 } });
  const sentences = verdict ? [...sentencesOf(verdict, false)] : [];
  expect(sentences.filter(([kind]) => kind === 'WRONG')).toHaveLength(3);
});

test('a hundred thousand open uploads are kept, and the others told at once', async () => {
  const content = Array.from({ length: 100_002 }, (_, at) => `{"state":"sending","url":"u","file":"${at}"}\n`).join('');
  const verdicts = await verdictsOf(content);
  expect(verdicts.map(({ facts }) => facts.file).slice(0, 3)).toEqual(['100000', '100001', '0']);
  expect(verdicts).toHaveLength(100_002);
});
