import { basename } from 'node:path';
import { entryIdOf } from '../../../functions/ailog/entry.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { PROMISE_MS, type Receipt } from '../../../functions/receipts/receiptFormat.ts';
import { entryHashOf, type HashedAttributes } from '../../../functions/tlog/entryHash.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatInstant } from '../../shell/text/time.ts';
import { judgePublication } from '../inclusion/publication.ts';
import { checkBody, checkTime, collectFindings, type EvidenceFormat, type FindingsCollector } from './evidence.ts';
import { type ProofFile, parseKeyPreimage, parsePreimage, parseProofFile, verifyProofFile } from './proofFile.ts';
import { inLog, receiptNoteOf, recordQuorum, recordReceipt, recordTime, verifyReceipt } from './receiptEvidence.ts';
import { readBeside, type SmallFile, textOf } from './smallFile.ts';

/** The start of every proof file, of this version and others. */
const PROOF_START = 'c2sp.org/tlog-proof@';

/** Returns the path of a file that `ailog prove` wrote beside a proof. */
export const besideProof = ({ path }: SmallFile, extension: string): string =>
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

function requireSameEntry(receipt: Receipt, entry: HashedAttributes, entryHash: Buffer): void {
  const both = ['uid', 'entryId', 'receivedAt', 'bodySha256'] as const;
  const names = both.filter((name) => receipt[name] !== entry[name]);
  if (names.length > 0) throw new Error(`The receipt and the preimage differ in ${names.join(', ')}`);
  if (receipt.entryHash === entryHash.toString('hex')) return;
  throw new Error('The preimage is not the entry of the receipt: accessKey, locale, sourceIp or another value differs');
}

/** Verifies that an entry is in the log. If only the one of the receipt is, `promised`, the preimage was changed. */
function verifyProof(proof: ProofFile, entryHash: Buffer, promised: Buffer | undefined, policy: Policy) {
  try {
    return verifyProofFile(proof, entryHash, policy);
  } catch (error) {
    if (!promised || promised.equals(entryHash)) throw error;
    verifyProofFile(proof, promised, policy);
    throw new Error('The proof shows the entry of the receipt, which is not that of the preimage', { cause: error });
  }
}

/** Returns the cosigned checkpoint in the extra data of a proof, if it is of this log before the entry. */
function checkpointBefore(extra: Uint8Array, index: number, { origin }: OpenedCheckpoint, policy: Policy) {
  const opened = orUndefined(() => openCheckpoint(Buffer.from(extra).toString(), policy));
  return opened?.quorum && opened.origin === origin && opened.size <= index ? opened : undefined;
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
      const missing = basename(besideProof(file, 'preimage'));
      throw new Failure('usage', `${file.name} does not say which entry it proves: ${missing} is missing.`, {
        advice: 'Ask for it where you got the proof, and put it beside it, or give --preimage FILE.',
      });
    }
    const findings = collectFindings();
    const { attempt, facts, proven, notProven } = findings;
    const proof = attempt(() => parseProofFile(textOf(file)));
    const receipt = receiptFile && attempt(() => verifyReceipt(receiptNoteOf(receiptFile), policy));
    const promised = receipt && Buffer.from(receipt.entryHash, 'hex');
    const preimage = preimageFile && attempt(() => textOf(preimageFile));
    const entryHash = preimage === undefined ? promised : entryHashOf(preimage);

    const opened = proof && entryHash && attempt(() => verifyProof(proof, entryHash, promised, policy));
    if (opened && proof) {
      proven.push(inLog(opened, proof.index));
      recordQuorum(findings, opened, policy);
    }
    const before = opened && proof?.extra && checkpointBefore(proof.extra, proof.index, opened, policy);
    if (proof?.extra && !before) notProven.push(`the extra data of ${file.name}: nobody signs it`);

    const isKey = preimage?.startsWith('ai-log-key/');
    const key = preimage !== undefined && isKey ? attempt(() => parseKeyPreimage(preimage)) : undefined;
    const entry = preimage !== undefined && !isKey ? attempt(() => parsePreimage(preimage)) : undefined;
    if (receipt) {
      recordReceipt(findings, receipt);
      if (opened && receipt.origin !== opened.origin) {
        findings.wrong.push(`The receipt is of the log ${receipt.origin}, the proof of ${opened.origin}`);
      }
      if (entry && entryHash) attempt(() => requireSameEntry(receipt, entry, entryHash));
    } else if (!receiptFile && !isKey) {
      notProven.push('that the service gave a receipt for it: there is no .receipt file beside the proof');
    }
    if (opened && key !== undefined) facts.key = key;
    if (opened && entry) recordEntry(findings, entry);
    else if (receipt) checkTime(findings, receipt.entryId, receipt.receivedAt);
    const described = opened && entry ? entry : receipt;
    if (described) checkBody(findings, body, described);
    if (opened && described && policy.quorum !== 'none' && opened.quorum) {
      const { receivedAt } = described;
      const publication = { proof: opened, before, stored: undefined, newest: undefined };
      const deadline = receipt?.deadline ?? receivedAt + PROMISE_MS;
      recordTime(findings, judgePublication(publication, policy, deadline), { receivedAt, deadline });
    }
    if (opened && entry) notProven.push('who signed the upload: the organisers know the secret too');
    yield findings;
  },
};
