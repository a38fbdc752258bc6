import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newWitness } from '../c2sp/keys.ts';
import { openFixture } from '../setup/fixture.ts';
import { MINUTE_MS } from '../setup/time.ts';
import { openLogFixture } from './logFixture.ts';
import { startWitness } from './witnessServer.ts';

const log = await openLogFixture(await openFixture());
const [signer] = await log.options.signers(AbortSignal.timeout(1000));
if (!signer) throw new Error('no signer');
const [one, two] = [await startWitness('one.example', signer.key), await startWitness('two.example', signer.key)];
afterAll(() => {
  one.close();
  two.close();
});

const policyText = (quorum: string) =>
  [
    `log ${formatVerifierKey(signer.key)}`,
    `witness one ${formatVerifierKey(one.key)} ${one.url}`,
    `witness two ${formatVerifierKey(two.key)} ${two.url}`,
    `witness offline ${formatVerifierKey(newWitness('offline.example').key)}`,
    'group both 2 one two',
    `quorum ${quorum}`,
  ].join('\n');
const witnesses = parsePolicy(policyText('both'));

const run = () => log.run({ witnesses });
const published = () => openCheckpoint(String(log.files().get('checkpoint')), witnesses);
const grow = async () => {
  await log.grow(3);
};

test('witnesses cosign the first checkpoint and those that follow from it', async () => {
  expect(await run()).toMatchObject({ quorumMissed: false, size: 3 });
  expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
  await grow();
  expect(await run()).toMatchObject({ quorumMissed: false, size: 6 });
  expect(published()).toMatchObject({ size: 6, quorum: true });
  expect(one.requests).toEqual([
    { status: 200, old: 0 },
    { status: 200, old: 3 },
  ]);
});

test('the missed quorum is part of the outcome, and one witness may be enough', async () => {
  two.answer([503, '']);
  await grow();
  const { size, ...outcome } = await run();
  expect(outcome).toMatchObject({ quorumMissed: true, witnessFailures: { two: expect.stringContaining('503') } });
  expect(published()).toMatchObject({ size, quorum: false, cosigned: new Map([['one', expect.any(Number)]]) });
  expect(await log.run({ witnesses: parsePolicy(policyText('one')) })).toMatchObject({ quorumMissed: false });
  two.answer(undefined);
  expect(await run()).toMatchObject({ quorumMissed: false });
});

test('a witness that missed checkpoints is asked again from the size that it saw', async () => {
  await grow();
  const { size: before } = published();
  await log.run();
  await grow();
  await run();
  expect(two.requests.slice(-2)).toEqual([
    { status: 409, old: before + 3 },
    { status: 200, old: before },
  ]);
  await log.expectWhole();
});

test('a checkpoint that lost the signature of the log is signed and cosigned again', async () => {
  await run();
  const path = join(log.folder, 'checkpoint');
  const signed = readFileSync(path, 'utf8');
  writeFileSync(path, signed.replace(/^— localhost\/ailog .*\n/m, ''));
  expect(published).toThrow();
  expect(await run()).toMatchObject({ quorumMissed: false });
  expect(published()).toMatchObject({ quorum: true });
});

test.each([
  ['says so', (size: number) => `${size}\n`],
  ['says it in words', () => 'root mismatch\n'],
])('a witness that has seen another root at this size, and %s, stops the log', async (_what, body) => {
  await grow();
  two.answer((old, size) => (old === size ? [409, body(size)] : [409, `${size}\n`]));
  await expect(run()).rejects.toMatchObject({ name: 'FatalError', condition: 'witness-contradicts' });
  two.answer(undefined);
  expect(await run()).toMatchObject({ quorumMissed: false });
  // An idle log asks for new cosignatures of the same size.
  log.clock.advance(20 * MINUTE_MS);
  two.answer([409, body((await log.head()).size)]);
  await expect(run()).rejects.toMatchObject({ condition: 'witness-contradicts' });
  two.answer(undefined);
});

test('a log whose head and checkpoint were rolled back is stopped by its witnesses', async () => {
  const { fromSize, fromRoot, ...head } = await log.head();
  const newest = readFileSync(join(log.folder, 'checkpoint'));
  writeFileSync(join(log.folder, 'checkpoint'), readFileSync(join(log.folder, `checkpoints/${fromSize}`)));
  await log.changeHead({ size: fromSize, root: fromRoot });
  // With the lost entries, they are sorted by hash: of so many, some come before them, and the tree differs.
  await log.grow(60);
  await expect(run()).rejects.toMatchObject({ condition: 'witness-contradicts' });
  await log.changeHead({ ...head, fromSize, fromRoot });
  writeFileSync(join(log.folder, 'checkpoint'), newest);
});

test('a sequencer that a faster one has overtaken takes what the witness has seen for no contradiction', async () => {
  await grow();
  let overtaken = false;
  const faster = async () => {
    if (overtaken) return;
    overtaken = true;
    await run();
    await grow();
    await run();
  };
  // The slow one stands still after its claim, before it signs.
  const signers = async (signal: AbortSignal) => {
    const { size } = await log.head();
    if (size > published().size) await faster();
    return log.options.signers(signal);
  };
  expect(await log.run({ witnesses, signers })).toMatchObject({ superseded: true });
  expect(overtaken).toBe(true);
  expect(await run()).toMatchObject({ superseded: false, quorumMissed: false });
  await log.expectWhole();
});

test('a sequencer that is overtaken right after its checkpoint does not put it back in the place of the newer one', async () => {
  one.answer([503, '']);
  two.answer([503, '']);
  await grow();
  let overtaken = false;
  const storage: typeof log.options.storage = {
    ...log.options.storage,
    async replace(path, ...rest) {
      const replaced = await log.options.storage.replace(path, ...rest);
      if (path !== 'checkpoint' || overtaken) return replaced;
      overtaken = true;
      await grow();
      await run();
      return replaced;
    },
  };
  expect(await log.run({ witnesses, storage })).toMatchObject({ superseded: true });
  expect(published().size).toBe((await log.head()).size);
  one.answer(undefined);
  two.answer(undefined);
  expect(await run()).toMatchObject({ quorumMissed: false });
});

test('cosignatures that come one after the other reach the quorum together', async () => {
  two.answer([503, '']);
  await grow();
  expect(await run()).toMatchObject({ quorumMissed: true });
  expect([...published().cosigned.keys()]).toEqual(['one']);
  expect(log.files().has(`cosigned/${published().size}`)).toBe(false);
  two.answer(undefined);
  one.answer([503, '']);
  const asked = one.requests.length;
  expect(await run()).toMatchObject({ quorumMissed: false, witnessFailures: {} });
  expect(one.requests).toHaveLength(asked);
  expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
  one.answer(undefined);
});

test('the first cosigned checkpoint of a size stays, and an idle log gets new cosignatures', async () => {
  const { size } = published();
  const cosigned = log.files().get(`cosigned/${size}`);
  expect(openCheckpoint(String(cosigned), witnesses)).toMatchObject({ size, quorum: true });
  const before = one.requests.length;
  log.clock.advance(10 * 60_000);
  expect(await run()).toMatchObject({ size, quorumMissed: false });
  expect(one.requests.slice(before)).toEqual([{ status: 200, old: size }]);
  expect(log.files().get(`cosigned/${size}`)).toEqual(cosigned);
});

test('without a quorum, the log is cosigned, and no checkpoint is kept as the first cosigned one', async () => {
  const without = parsePolicy(policyText('none'));
  await grow();
  const { size } = await log.run({ witnesses: without });
  expect(openCheckpoint(String(log.files().get('checkpoint')), without)).toMatchObject({ size, quorum: true });
  expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
  expect(log.files().has(`cosigned/${size}`)).toBe(false);
});
