import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Signer } from '../../functions/c2sp/note.ts';
import { type Policy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newWitness } from '../c2sp/keys.ts';
import { type Fault, MINUTE_MS, noDeadline, startWitness, world } from '../setup/world.ts';

const log = await world().sequenced();
const restore = await log.keep();
const [{ key }] = (await log.options.signers(noDeadline())) as [Signer];
let one: Awaited<ReturnType<typeof startWitness>>;
let two: typeof one;
let witnesses: Policy;
/** Each test begins after the first run, whose checkpoint both witnesses cosigned. */
beforeEach(async () => {
  [one, two] = [await startWitness('one.example', key), await startWitness('two.example', key)];
  witnesses = parsePolicy(policyText('both'));
  expect(await run()).toMatchObject({ quorumMissed: false, size: 0 });
});
afterEach(() => log.expectWhole().finally(restore));

const policyText = (quorum: string) =>
  [
    `log ${formatVerifierKey(key)}`,
    `witness one ${formatVerifierKey(one.key)} ${one.url}`,
    `witness two ${formatVerifierKey(two.key)} ${two.url}`,
    `witness offline ${formatVerifierKey(newWitness('offline.example').key)}`,
    'group both 2 one two',
    `quorum ${quorum}`,
  ].join('\n');
/** Runs the sequencer. A witness that says nothing is waited for, long enough for the other one on a busy machine. */
const run = (witnessTimeoutMs = 20_000) => log.run({ witnesses, witnessTimeoutMs });
const published = () => openCheckpoint(String(log.files().get('checkpoint')), witnesses);

test('witnesses cosign the first checkpoint and those that follow from it', async () => {
  expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
  await log.grow(3);
  expect(await run()).toMatchObject({ quorumMissed: false, size: 3, witnessFailures: {} });
  expect(published()).toMatchObject({ size: 3, quorum: true });
  expect(one.requests.map(({ old }) => old)).toEqual([0, 0]);
});

test('a missed quorum is part of the outcome, and every run asks again', async () => {
  two.way.decide(() => ({ status: 503, body: 'busy' }));
  await log.grow(3);
  expect(await run()).toMatchObject({ quorumMissed: true, witnessFailures: { two: 'Error: HTTP 503: "busy"' } });
  expect(published()).toMatchObject({ quorum: false, cosigned: new Map([['one', expect.any(Number)]]) });
  const { n } = log.newest();
  expect(await run()).toMatchObject({ quorumMissed: true, appended: 0 });
  expect(log.newest().n).toBe(n + 1);
  two.way.decide();
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(log.newest().n).toBe(n + 2);
});

test('one witness may be enough', async () => {
  two.way.decide(() => ({ status: 503 }));
  await log.grow(1);
  expect(await log.run({ witnesses: parsePolicy(policyText('one')) })).toMatchObject({ quorumMissed: false });
});

test('a witness that missed checkpoints is asked again from the size that it saw', async () => {
  await log.grow(3);
  await run();
  const { size: before } = published();
  await log.grow(2);
  await log.run();
  await log.grow(2);
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(two.requests.slice(-2)).toEqual([
    { status: 409, old: before + 2 },
    { status: 200, old: before },
  ]);
});

test('an idle log gets new cosignatures of the same size', async () => {
  await log.grow(3);
  await run();
  const { size } = published();
  log.clock.advance(10 * MINUTE_MS);
  expect(await run()).toMatchObject({ size, quorumMissed: false });
  expect(one.requests.at(-1)).toEqual({ status: 200, old: size });
});

// biome-ignore format: one case a line
test.each<[what: string, answer: () => Fault, problem: RegExp]>([
  ['says that it has seen a larger log', () => ({ status: 409, body: '2\n' }), /A tree of \d+ leaves cannot come before one of \d+/],
  ['says that it has seen another root', () => ({ status: 409, body: 'root mismatch\n' }), /The tree size must be a decimal number/],
  ['redirects to another one', () => ({ status: 307, headers: { Location: `${one.url}add-checkpoint` } }), /TypeError: fetch failed/],
  ['rejects the proof', () => ({ status: 422, body: 'proof' }), /HTTP 422: "proof"/],
  ['does not answer', () => 'no response', /TimeoutError/],
  ['answers at length', () => ({ status: 200, body: 'x'.repeat(65_537) }), /more than 65536 bytes/],
  ['answers with what is just not too long', () => ({ status: 200, body: 'x'.repeat(65_536) }), /A signature line of a note ends/],
  ['answers with a line of nobody', () => ({ status: 200, body: newWitness('three.example').cosign('x', 1) }), /has no signature of its key/],
  ['answers with what is no line', () => ({ status: 200, body: 'x\n' }), /Not a signature line/],
  ['signs another checkpoint', () => ({ status: 200, body: two.cosign('localhost/ailog\n1\nx\n', 1) }), /The signature of two.example is wrong/],
])('a witness that %s does not stop the log, and is told of', async (what, answer, problem) => {
  two.way.decide(answer);
  await log.grow(1);
  const { quorumMissed, witnessFailures, appended } = await run(what === 'does not answer' ? 2000 : undefined);
  expect([quorumMissed, appended]).toEqual([true, 1]);
  expect(witnessFailures).toEqual({ two: expect.stringMatching(problem) });
  expect([...published().cosigned.keys()]).toEqual(['one']);
  two.way.decide();
  expect(await run()).toMatchObject({ quorumMissed: false });
});

test('of a witness that answers with many lines, one is kept', async () => {
  const lines = Array.from({ length: 200 }, (_, at) => newWitness(`w${at}.example`).cosign('x', 1)).join('');
  await log.grow(1);
  two.way.decide(() => ({ change: (line) => lines + line }));
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(String(log.files().get('checkpoint')).match(/^— /gm)).toHaveLength(3);
});
