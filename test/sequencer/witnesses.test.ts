import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { newWitness } from '../c2sp/keys.ts';
import { openFixture } from '../setup/fixture.ts';
import { LAG_MS, openLogFixture } from './logFixture.ts';
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
  await log.upload(3);
  log.clock.advance(LAG_MS + 1);
};

test('witnesses cosign the first checkpoint and those that follow from it', async () => {
  expect(await run()).toMatchObject({ quorumMissed: false, size: 2 });
  expect([...published().cosigned.keys()]).toEqual(['one', 'two']);
  await grow();
  expect(await run()).toMatchObject({ quorumMissed: false, size: 5 });
  expect(published()).toMatchObject({ size: 5, quorum: true });
  expect(one.requests).toEqual([
    { status: 200, old: 0 },
    { status: 200, old: 2 },
  ]);
});

test.each([
  ['does not answer', 'no answer'],
  ['answers HTTP 500', [500, 'oops']],
  ['answers with what is not a signature', [200, 'thanks\n']],
  ['answers with another key’s signature', [200, newWitness('two.example').cosign('text\n', 1)]],
  ['answers with a wrong signature of its key', [200, 'wrong']],
  ['answers without end', [200, 'x'.repeat(100_000)]],
  ['saw a larger log', [409, '1000\n']],
  ['says that it saw what is not a size', [409, 'many\n']],
] as const)('a witness that %s: the log goes on, and the missed quorum is told', async (_what, answer) => {
  const [, line = ''] = /(— two\.example \S+\n)/.exec(String(log.files().get('checkpoint'))) ?? [];
  two.answer(answer !== 'no answer' && answer[1] === 'wrong' ? [200, line] : answer);
  await grow();
  const { size } = await log.run({ witnesses, ...(answer === 'no answer' && { witnessTimeoutMs: 200 }) });
  expect(published()).toMatchObject({ size, quorum: false });
  expect([...published().cosigned.keys()]).toEqual(['one']);
  two.answer(undefined);
  expect(await run()).toMatchObject({ quorumMissed: false, size });
  expect(published()).toMatchObject({ size, quorum: true });
});

test('the missed quorum is part of the outcome, and one witness may be enough', async () => {
  two.answer([503, '']);
  await grow();
  expect(await run()).toMatchObject({ quorumMissed: true });
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
