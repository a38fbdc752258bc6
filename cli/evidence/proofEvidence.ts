import { entryIdOf } from '../../functions/ailog/entry.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import type { Receipt } from '../../functions/receipts/receipt.ts';
import { entryHashOf, type HashedAttributes, keyPreimage } from '../../functions/tlog/entryHash.ts';
import type { OpenedCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { Failure } from '../terminal/failure.ts';
import { formatInstant } from '../text/time.ts';
import { checkBody, checkTime, collectFindings, type EvidenceFormat, type FindingsCollector } from './evidence.ts';
import { parsePreimage } from './preimage.ts';
import { type ProofFile, parseProofFile, verifyProofFile } from './proofFile.ts';
import { receiptNoteOf, recordReceipt } from './receiptEvidence.ts';
import { verifyReceipt } from './receiptNote.ts';
import { readBeside, type SmallFile, textOf } from './smallFile.ts';

/** The start of every proof file, of this version and others. */
const PROOF_START = 'c2sp.org/tlog-proof@';

/** The start of the preimage of a key of the service. */
const KEY_START = 'ai-log-key/';

/** Returns the path of a file that `ailog prove` wrote beside a proof. */
const besideProof = ({ path }: SmallFile, extension: string): string =>
  `${path.replace(/\.tlog-proof$/, '')}.${extension}`;

/** Checks that an entry can come from one request, and records what it says. */
function recordEntry(findings: FindingsCollector, entry: HashedAttributes): void {
  const { entryId, uid, receivedAt, accessKey } = entry;
  Object.assign(findings.facts, { entryId, uid, receivedAt: formatInstant(receivedAt), accessKey });
  if (entryIdOf(entry) !== entryId) {
    findings.wrong.push('The entry id does not follow from access key, timestamp and signature');
  } else {
    checkTime(findings, entryId, receivedAt);
  }
}

/** Names the attributes in which a receipt and an entry differ. */
function requireSameEntry(receipt: Receipt, entry: HashedAttributes, leaf: Buffer): void {
  const names = (['uid', 'entryId', 'receivedAt', 'bodySha256'] as const).filter(
    (name) => receipt[name] !== entry[name],
  );
  if (names.length > 0) throw new Error(`The receipt and the preimage differ in ${names.join(', ')}`);
  if (receipt.entryHash !== leaf.toString('hex')) {
    throw new Error(
      'The preimage is not the entry of the receipt: accessKey, locale, sourceIp or another value differs',
    );
  }
}

/** Records how many witnesses cosigned a checkpoint, and whether they are enough. */
function recordQuorum({ proven, notProven, wrong }: FindingsCollector, opened: OpenedCheckpoint, policy: Policy): void {
  const { cosigned, quorum } = opened;
  const names = [...cosigned].map(([name, timestamp]) => `${name} at ${formatInstant(timestamp * 1000)}`);
  const by = names.length === 0 ? 'no witness' : names.join(', ');
  const count = `${names.length} of ${policy.witnesses.size} witnesses`;
  if (policy.quorum === 'none') {
    if (names.length > 0) proven.push(`${count} cosigned this state of the log: ${by}`);
    notProven.push('that everyone sees the same log: the policy requires no witness');
  } else if (quorum) {
    proven.push(`${count} cosigned this state of the log: ${by}. The quorum ${policy.quorum} of the policy is reached`);
  } else {
    wrong.push(`The quorum ${policy.quorum} of the policy is missed: ${count} cosigned this state of the log (${by})`);
  }
}

/**
 * Verifies that an entry is in the log. If it is not, but the one of the receipt is, the preimage is what was changed.
 * @param promised the leaf of a receipt that holds
 */
function verifyProof(proof: ProofFile, leaf: Buffer, promised: Buffer | undefined, policy: Policy): OpenedCheckpoint {
  try {
    return verifyProofFile(proof, leaf, policy);
  } catch (error) {
    if (!promised || promised.equals(leaf)) throw error;
    verifyProofFile(proof, promised, policy);
    throw new Error('The proof shows the entry of the receipt, which is not that of the preimage', { cause: error });
  }
}

/** A proof that an entry is in the log: `.tlog-proof`, with its `.preimage` and `.receipt` beside it. */
export const proofEvidence: EvidenceFormat = {
  name: 'proof',
  options: ['body', 'preimage'],

  recognizes: (text) => text.replace(/^\ufeff/, '').startsWith(PROOF_START),

  *verify(file, { policy, body, preimage: given }) {
    const preimageFile = given ?? readBeside(besideProof(file, 'preimage'));
    const receiptFile = readBeside(besideProof(file, 'receipt'));
    if (!preimageFile && !receiptFile) {
      throw new Failure('usage', `${file.name} does not say which entry it proves: its preimage is missing.`, {
        advice: 'Put the .preimage file of ailog prove beside it, under the same name, or give --preimage FILE.',
      });
    }
    const findings = collectFindings();
    const { attempt, facts, proven, notProven } = findings;
    const proof = attempt(() => parseProofFile(textOf(file)));
    const receipt = receiptFile && attempt(() => verifyReceipt(receiptNoteOf(receiptFile), policy));
    const promised = receipt && Buffer.from(receipt.entryHash, 'hex');
    const preimage = preimageFile && attempt(() => textOf(preimageFile));
    const leaf = preimage === undefined ? promised : entryHashOf(preimage);

    const opened = proof && leaf && attempt(() => verifyProof(proof, leaf, promised, policy));
    if (opened && proof) {
      proven.push(
        `the entry is in the transparency log of ${opened.origin}, at index ${proof.index} of ${opened.size}`,
      );
      recordQuorum(findings, opened, policy);
      if (proof.extra) notProven.push(`the extra data of ${file.name}: nobody signs it`);
    }

    const isKey = preimage?.startsWith(KEY_START);
    const key = preimage !== undefined && isKey ? attempt(() => parseKeyPreimage(preimage)) : undefined;
    const entry = preimage !== undefined && !isKey ? attempt(() => parsePreimage(preimage)) : undefined;
    if (receipt) {
      recordReceipt(findings, receipt);
      if (opened && receipt.origin !== opened.origin) {
        findings.wrong.push(`The receipt is of the log ${receipt.origin}, the proof of ${opened.origin}`);
      }
      if (entry && leaf) attempt(() => requireSameEntry(receipt, entry, leaf));
    } else if (!receiptFile && !isKey) {
      notProven.push('that the service gave a receipt for it: there is no .receipt file beside the proof');
    }
    if (opened && key !== undefined) facts.key = key;
    if (opened && entry) recordEntry(findings, entry);
    else if (receipt) checkTime(findings, receipt.entryId, receipt.receivedAt);
    const described = opened && entry ? entry : receipt;
    if (described) checkBody(findings, body, described);
    if (opened && entry) notProven.push('who signed the upload: the organisers know the secret too');
    yield findings;
  },
};

/** Reads the preimage of a key of the service. @throws Error if it is none */
function parseKeyPreimage(preimage: string): string {
  const [, json = ''] = preimage.split('\n');
  const [key]: unknown[] = JSON.parse(json);
  if (typeof key !== 'string' || keyPreimage(key) !== preimage) {
    throw new Error('The preimage of a key is not written as the service writes it');
  }
  return key;
}
