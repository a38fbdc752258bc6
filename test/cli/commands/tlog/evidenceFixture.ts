import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProofFile } from '../../../../cli/proof/evidence/proofFile.ts';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { entryIdOf } from '../../../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { type Signer, signNote } from '../../../../functions/c2sp/note.ts';
import { rootOfEdge } from '../../../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, receiptOf } from '../../../../functions/receipts/receiptFormat.ts';
import { entryHashOf, entryPreimage, type HashedAttributes } from '../../../../functions/tlog/entryHash.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { entriesOf, memoryLog } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { logText } from '../../../setup/upload.ts';

export const ORIGIN = 'logs.example.com/ailog';
const never = new AbortController().signal;

/** 2025-11-14T06:53:21.345Z */
export const RECEIVED_AT = 1_763_103_201_345;

/** An entry as the upload function stores it, and its body. */
function entryOf(uid: string, text: string): { entry: HashedAttributes; body: string } {
  const body = logText({ stage: 'Decision', model: 'm-1', explanation: text });
  const signed = { accessKey: `ailog_${uid}`, timestamp: String(RECEIVED_AT - 45), signature: 'c2lnbmVk' };
  const entry: HashedAttributes = {
    uid,
    entryId: entryIdOf(signed),
    receivedAt: RECEIVED_AT,
    ...signed,
    query: 'a=1',
    locale: 'en-US',
    sourceIp: '192.0.2.1',
    bodySha256: createHash('sha256').update(body).digest('hex'),
    bodyBytes: Buffer.byteLength(body),
  };
  return { entry, body };
}

const vkey = ({ key }: Pick<Signer, 'key'>) => formatVerifierKey(key);

/**
 * A log of 300 entries with two witnesses, and the evidence about two entries of two teams, as texts by the names of
 * their files.
 */
export async function makeEvidence() {
  const [log, receipts] = [newSigner(ORIGIN), newSigner(`${ORIGIN}/receipts`)];
  const witnesses = [newWitness('one.example'), newWitness('two.example')] as const;
  const [mine, other] = [entryOf('1001', 'mine'), entryOf('1002', 'other')];
  const tree = memoryLog();
  const indices = { mine: 150, other: 299 };
  const leaves = entriesOf(300);
  leaves[indices.mine] = entryHashOf(entryPreimage(mine.entry));
  leaves[indices.other] = entryHashOf(entryPreimage(other.entry));
  tree.append(leaves);

  /** Returns a checkpoint that the log and the first witnesses sign, some seconds after the entries were received. */
  const cosigned = async (size: number, seconds: number, { origin = ORIGIN, missing = 0, signer = log } = {}) => {
    const signed = formatCheckpoint({ origin, size, root: await tree.read(300).rootOf(size) });
    const lines = witnesses
      .slice(missing)
      .map((witness) => witness.cosign(signed, Math.floor(RECEIVED_AT / 1000) + seconds));
    return (await signNote(signed, [signer], never)) + lines.join('');
  };

  const text = formatCheckpoint({ origin: ORIGIN, size: 300, root: rootOfEdge(tree.edge()) });
  const extended = `${text}an extension line\n`;
  const stranger = newWitness('stranger.example');
  const cosignatures = [...witnesses, stranger].map((witness, index) =>
    witness.cosign(extended, RECEIVED_AT / 1000 + 60 + index - 0.345),
  );
  const checkpoint = (await signNote(extended, [log], never)) + cosignatures.join('');

  const proofOf = async (index: number) =>
    formatProofFile({
      index,
      proof: await tree.read(300).inclusionProof(index),
      checkpoint,
      extra: Buffer.from('context'),
    });
  /**
   * Returns the proof of my entry, cosigned up to a minute after `at` seconds.
   * @param bounds `before`: the size of the checkpoint in its extra data, which is cosigned at `at`
   */
  const proofWith = async ({
    before,
    at,
    ...how
  }: {
    before?: number;
    at: number;
    missing?: number;
    origin?: string;
    signer?: Signer;
  }) =>
    formatProofFile({
      index: indices.mine,
      proof: await tree.read(300).inclusionProof(indices.mine),
      checkpoint: await cosigned(300, at + (at < 60 ? 30 : 60)),
      ...(before !== undefined && { extra: Buffer.from(await cosigned(before, at, how)) }),
    });
  const receiptNote = (entry: HashedAttributes, signer = receipts, origin = ORIGIN) =>
    signNote(formatReceipt(receiptOf(origin, entry)), [signer], never);

  const setting = `witness W1 ${vkey(witnesses[0])}\nwitness W2 ${vkey(witnesses[1])}\ngroup both all W1 W2\nquorum both\n`;
  return {
    log,
    receipts,
    witnesses,
    mine,
    other,
    text,
    checkpoint,
    receiptNote,
    proofOf,
    proofWith,
    files: {
      'tlog.policy': policyText({ keys: [vkey(log), vkey(receipts)], witnesses: setting }),
      'mine.tlog-proof': await proofOf(indices.mine),
      'mine.preimage': entryPreimage(mine.entry),
      'mine.receipt': await receiptNote(mine.entry),
      'mine.json': mine.body,
      'other.tlog-proof': await proofOf(indices.other),
      'other.preimage': entryPreimage(other.entry),
      'other.receipt': await receiptNote(other.entry),
      'other.json': other.body,
    },
    /** A policy of the same log without witnesses. */
    unwitnessed: policyText({ keys: [vkey(log), vkey(receipts)] }),
  };
}

/** Texts and bytes of files by their names; undefined: no such file. */
export type Files = Readonly<Record<string, string | Buffer | undefined>>;

/**
 * Other programs that verify what the tests verify. They are called with a folder and the arguments of `ailog verify`.
 */
export const otherVerifiers: ((folder: string, args: readonly string[]) => Promise<void>)[] = [];

function folderOf(files: Files): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    if (content !== undefined) writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Verifies files with the other verifiers only. */
export async function verifyElsewhere(files: Files, args: readonly string[]): Promise<void> {
  for (const verify of otherVerifiers) await verify(folderOf(files), args);
}

/** Runs `ailog verify` in a new folder with these files. */
export async function verifyIn(files: Files, args: readonly string[]) {
  const ran = await runCommand(['verify', ...args], { cwd: folderOf(files) });
  await verifyElsewhere(files, args);
  return ran;
}
