import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PublishedLog } from '../../../../cli/proof/inclusion/publishedLog.ts';
import { cosignedLog } from '../../../../cli/proof/inclusion/publishedLog.ts';
import { folderFiles } from '../../../../cli/store/targets/tlogFiles.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../../../functions/c2sp/note.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { openCheckpoint } from '../../../../functions/tlog/openCheckpoint.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const signer = newSigner('logs.example.com/ailog');
const witness = newWitness('w.example');
const policyOf = (quorum: string) =>
  parsePolicy(`log ${formatVerifierKey(signer.key)}\nwitness W ${formatVerifierKey(witness.key)}\nquorum ${quorum}\n`);

/** A log in a folder whose checkpoints of these sizes are cosigned; the newest one is not. */
async function logWith(sizes: readonly number[], newest: number, quorum = 'W'): Promise<PublishedLog> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'cosigned'));
  const sign = (size: number) => {
    const text = formatCheckpoint({ origin: 'logs.example.com/ailog', size, root: Buffer.alloc(32, size) });
    return signNote(text, [signer], AbortSignal.timeout(1000));
  };
  for (const size of sizes) {
    const signed = await sign(size);
    const [text = ''] = signed.split('\n\n');
    writeFileSync(join(folder, `cosigned/${size}`), signed + witness.cosign(`${text}\n`, size));
  }
  const policy = policyOf(quorum);
  const signed = await sign(newest);
  return { files: folderFiles(folder), policy, signed, checkpoint: openCheckpoint(signed, policy) } as PublishedLog;
}

const SIZES = [3, 9, 12, 99, 105, 120, 998, 1001, 1200, 9999, 12_000, 120_000];

test('the first cosigned checkpoint over an index is found, however many digits it has', async () => {
  const log = await logWith(SIZES, 130_000);
  const around = [...SIZES, 1, 10, 100, 1000, 10_000, 11_500, 100_000].flatMap((size) => [size - 1, size, size + 1]);
  for (const index of around.filter((one) => one < 120_000)) {
    const { checkpoint } = await cosignedLog(log, index);
    const size = SIZES.find((one) => one > index) as number;
    expect([index, checkpoint.size]).toEqual([index, size]);
    expect([...checkpoint.cosigned]).toEqual([['W', size]]);
  }
  expect(await cosignedLog(log, 120_000)).toBe(log);
});

test('a file that has a checkpoint of another size, or one without a quorum, is not taken', async () => {
  const log = await logWith([3, 12], 20);
  const { read } = log.files;
  const with12 = (path: string) => read(path === 'cosigned/3' ? 'cosigned/12' : path);
  expect(await cosignedLog({ ...log, files: { ...log.files, read: with12 } }, 2)).toMatchObject({ signed: log.signed });
  const { signed } = await logWith([], 3);
  const without = async (path: string) => (path === 'cosigned/3' ? Buffer.from(signed) : read(path));
  expect(await cosignedLog({ ...log, files: { ...log.files, read: without } }, 2)).toMatchObject({
    signed: log.signed,
  });
});

test('without a quorum of witnesses, it is the newest one', async () => {
  const log = await logWith([3], 9, 'none');
  expect(await cosignedLog(log, 0)).toBe(log);
});
