import { expect, test } from 'vitest';
import { askLog } from '../../../../cli/proof/evidence/askLog.ts';
import { verify } from '../../../../cli/proof/evidence/verify.ts';
import { openLog } from '../../../../cli/proof/log/openLog.ts';
import { logFilesAt } from '../../../../cli/proof/log/publicFiles.ts';
import { parseCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { sameHash } from '../../../../functions/c2sp/hashing.ts';
import { parseNote, signNote } from '../../../../functions/c2sp/note.ts';
import { formatPolicy, parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { formatReceipt } from '../../../../functions/receipts/receiptFormat.ts';
import { newWitness } from '../../../c2sp/keys.ts';
import { MINUTE_MS, noDeadline, openServedLog } from '../../../setup/world.ts';

const log = await openServedLog();

/** A witness that follows C2SP tlog-witness: it cosigns the newest checkpoint that it knows again, for anyone. */
function specifiedWitness() {
  const witness = newWitness('witness.example.net');
  let known: { size: number; root: Uint8Array } = { size: 0, root: new Uint8Array() };
  return {
    key: witness.key,
    /** @param from the size that the one who asks says that it knows; the proof between both is taken as right */
    cosign(signed: string, from: number, now: number): string {
      const { text } = parseNote(signed);
      const checkpoint = parseCheckpoint(text);
      if (from !== known.size) throw new Error('409 Conflict');
      if (checkpoint.size === known.size && !sameHash(checkpoint.root, known.root)) throw new Error('409 Conflict');
      known = checkpoint;
      return signed + witness.cosign(text, Math.floor(now / 1000));
    },
  };
}

test('an old checkpoint that is cosigned again after the deadline makes no honest entry LATE, MISSING or WRONG', async () => {
  const witness = specifiedWitness();
  const policy = parsePolicy(
    formatPolicy({
      logs: [formatVerifierKey(log.keys.log.key)],
      receipts: [formatVerifierKey(log.keys.receipts.key)],
      witnesses: `witness W ${formatVerifierKey(witness.key)}\nquorum W\n`,
    }),
  );
  const open = async () => openLog(logFilesAt(log.url, '', noDeadline()), policy);
  await log.grow(3);
  const old = (await open()).checkpoint;
  witness.cosign(old.signed, 0, log.clock.now());

  // The entry is in the log 40 s after it was received. For ten minutes, the quorum is not asked about anything new.
  const { entryHash, receivedAt } = log.upload();
  await log.sequence(40_000);
  const deadline = receivedAt + 10 * MINUTE_MS;
  const again = witness.cosign(old.signed, old.size, deadline + MINUTE_MS);
  const current = await open();
  const newest = witness.cosign(current.checkpoint.signed, old.size, deadline + 2 * MINUTE_MS);
  log.fail('checkpoint', { status: 200, body: newest });

  const bodySha256 = '0'.repeat(64);
  const entryId = `${receivedAt}-${'0'.repeat(32)}`;
  const said = { origin: current.checkpoint.origin, uid: '1001', entryId, receivedAt, bodySha256, deadline };
  const text = formatReceipt({ ...said, entryHash: entryHash.toString('hex') });
  const receipt = await signNote(text, [log.keys.receipts], noDeadline());
  const proof = (await current.prove(entryHash, 3)).map((hash) => hash.toString('base64'));
  const content = [{ checkpoint: again }, { checkpoint: newest }, { receipt, index: 3, proof }, { receipt }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  for (const asked of [undefined, await askLog(await open())]) {
    const verdicts = await Array.fromAsync(verify([Buffer.from(content)], { policy, log: asked }));
    expect(verdicts.map(({ word }) => word)).toEqual(['ok', 'ok', 'ok', 'ok']);
  }
  // The stale checkpoint in the place of the newest: the copy ends before, and nothing is missing.
  log.fail('checkpoint', { status: 200, body: again });
  const stale = await Array.fromAsync(
    verify([Buffer.from(`${JSON.stringify({ receipt })}\n`)], { policy, log: await askLog(await open()) }),
  );
  expect(stale).toMatchObject([{ word: 'NO PROOF', lacks: ['not in the log'] }]);
});
