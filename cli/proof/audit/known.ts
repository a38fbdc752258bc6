import type { Policy } from '../../../functions/c2sp/policy.ts';
import {
  entryHashOf,
  entryPreimage,
  type HashedAttributes,
  pickHashedAttributes,
} from '../../../functions/tlog/entryHash.ts';
import { linesOf } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { entryOf } from '../../store/entries/verifyContent.ts';
import { readExport } from '../../store/exports/readExport.ts';
import { decodeReceiptHeader, receiptEvidence, receiptNoteOf, verifyReceipt } from '../evidence/receiptEvidence.ts';
import { readResults, requireLine, resultEvidence } from '../evidence/resultFile.ts';
import { readSmallFile } from '../evidence/smallFile.ts';
import { isEnd, parseEntry } from '../evidence/statement.ts';
import { statementEvidence } from '../evidence/verifyStatement.ts';

/** An entry that a receipt or an earlier export describes. */
export interface KnownEntry {
  readonly hash: Buffer;
  readonly uid: string;
  readonly entryId: string;
  readonly receivedAt: number | null;
  /** What is known of the attributes that its leaf is made of. */
  readonly source: Partial<HashedAttributes>;
  /** Names a receipt that the service signed. */
  readonly receipt?: string;
  /** The time by which the receipt promises the entry in the log, in milliseconds since 1970. */
  readonly deadline?: number;
}

function knownOf(fields: Parameters<typeof entryOf>[0]): KnownEntry {
  const source = pickHashedAttributes(entryOf(fields));
  const { uid, entryId, receivedAt = Number.NaN } = source;
  const hash = entryHashOf(entryPreimage(source));
  return { hash, uid, entryId, receivedAt: Number.isNaN(receivedAt) ? null : receivedAt, source };
}

/**
 * Reads the entries that a file describes: a receipt, as a note or as the header has it, a result file of `ailog
 * upload`, an export, or a statement.
 * @throws Failure if the file is none of these, describes no entry, or has a receipt that none of the keys signed
 */
export async function* readKnown(path: string, origin: string, policy: Policy): AsyncGenerator<KnownEntry> {
  const file = readSmallFile(path);
  const text = file.bytes.toString();
  const ofReceipt = (name: string, what: string, read: () => string): KnownEntry => {
    try {
      const receipt = verifyReceipt(read(), policy);
      if (receipt.origin !== origin) throw new Error(`It is of another log, ${receipt.origin}.`);
      const { entryHash, uid, entryId, receivedAt, bodySha256, deadline } = receipt;
      const source = { uid, entryId, receivedAt, bodySha256 };
      return { hash: Buffer.from(entryHash, 'hex'), uid, entryId, receivedAt, source, receipt: name, deadline };
    } catch (cause) {
      throw new Failure('usage', `${what} is not a receipt that can be trusted: ${(cause as Error).message}`, {
        cause,
        advice: 'Give the policy with the key that signed it: --policy FILE.',
      });
    }
  };
  if (receiptEvidence.recognizes(text)) {
    yield ofReceipt(`The receipt ${path}`, path, () => receiptNoteOf(file));
    return;
  }
  let isEmpty = true;
  if (resultEvidence.recognizes(text)) {
    for (const [index, value] of (await readResults(path)).values.entries()) {
      const { state, file: log, receipt: header } = requireLine(value, index + 1, path);
      if (state !== 'stored' || header === undefined) continue;
      const what = `The receipt of ${log} in ${path}`;
      isEmpty = false;
      yield ofReceipt(what, what, () => decodeReceiptHeader(header));
    }
  } else if (statementEvidence.recognizes(text)) {
    let line = 0;
    for await (const one of linesOf(path)) {
      line += 1;
      if (line === 1) continue;
      if (isEnd(one)) break;
      isEmpty = false;
      let known: KnownEntry;
      try {
        known = knownOf({ ...parseEntry(one) });
      } catch (cause) {
        throw new Failure('usage', `Line ${line} of ${path}: ${(cause as Error).message}.`, { cause });
      }
      yield known;
    }
  } else {
    for await (const { fields } of readExport(path)) {
      if (!fields?.uid || !fields.entryId) continue;
      isEmpty = false;
      yield knownOf(fields);
    }
  }
  if (!isEmpty) return;
  throw new Failure('usage', `${path} has no receipt and no entry.`, {
    advice: 'Give a receipt, a result file of ailog upload, an export of ailog logs export, or a statement.',
  });
}
