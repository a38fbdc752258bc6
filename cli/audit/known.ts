import type { Policy } from '../../functions/c2sp/policy.ts';
import type { Receipt } from '../../functions/receipts/receipt.ts';
import {
  entryHashOf,
  entryPreimage,
  type HashedAttributes,
  pickHashedAttributes,
} from '../../functions/tlog/entryHash.ts';
import { journalEvidence } from '../evidence/journalEvidence.ts';
import { entryOfLine, isEnd, parseEntry } from '../evidence/parseStatement.ts';
import { receiptEvidence, receiptNoteOf } from '../evidence/receiptEvidence.ts';
import { decodeReceiptHeader, verifyReceipt } from '../evidence/receiptNote.ts';
import { readResults, requireLine } from '../evidence/resultFile.ts';
import { readSmallFile } from '../evidence/smallFile.ts';
import type { StatementEntry } from '../evidence/statement.ts';
import { statementEvidence } from '../evidence/verifyStatement.ts';
import { readExport } from '../exports/readExport.ts';
import { linesOf } from '../files/linesOf.ts';
import { Failure } from '../terminal/failure.ts';

/** An entry that a receipt or an earlier export describes. */
export interface KnownEntry {
  readonly uid: string;
  readonly entryId: string;
  readonly receivedAt: number;
  /** The attributes that its leaf is made of, if an export has them. */
  readonly source?: Partial<HashedAttributes>;
  /** Hex SHA-256 of the body, if a receipt has it. */
  readonly bodySha256?: string;
  /** Names a receipt that the service signed. */
  readonly receipt?: string;
}

interface Known {
  readonly leaf: Buffer;
  readonly entry: KnownEntry;
}

/** Returns the attributes of a record of an export that a leaf is made of. */
function sourceOf(fields: Readonly<Record<string, string | null>>): Partial<HashedAttributes> {
  const { uid, entryId, receivedAt, bodyBytes, accessKey, timestamp, signature, query, locale, sourceIp, bodySha256 } =
    fields;
  const texts = { uid, entryId, accessKey, timestamp, signature, query, locale, sourceIp, bodySha256 };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => typeof value === 'string')),
    ...(receivedAt && { receivedAt: Date.parse(receivedAt) }),
    ...(bodyBytes && { bodyBytes: Number(bodyBytes) }),
  };
}

/**
 * Verifies a receipt. @param what names it in messages
 * @throws Failure if no key of this log signed it
 */
function verifyKnownReceipt(what: string, read: () => string, origin: string, policy: Policy): Receipt {
  try {
    const receipt = verifyReceipt(read(), policy);
    if (receipt.origin === origin) return receipt;
    throw new Error(`It is of another log, ${receipt.origin}.`);
  } catch (cause) {
    throw new Failure('usage', `${what} is not a receipt that can be trusted: ${(cause as Error).message}`, {
      cause,
      advice: 'Give the policy with the key that signed it: --policy FILE.',
    });
  }
}

/** Returns what a receipt tells. */
const entryOf = (receipt: string, { entryHash, uid, entryId, receivedAt, bodySha256 }: Receipt): Known => ({
  leaf: Buffer.from(entryHash, 'hex'),
  entry: { uid, entryId, receivedAt, bodySha256, receipt },
});

/**
 * Reads the entries of a statement, each with its receipt if it has one.
 * @throws Failure if a line is not that of a statement, or if no key of this log signed a receipt
 */
async function* readStatement(path: string, origin: string, policy: Policy): AsyncGenerator<Known> {
  let line = 0;
  for await (const text of linesOf(path)) {
    line += 1;
    if (line === 1) continue;
    if (isEnd(text)) return;
    let parsed: StatementEntry;
    try {
      parsed = parseEntry(text);
    } catch (cause) {
      throw new Failure('usage', `Line ${line} of ${path}: ${(cause as Error).message}.`, { cause });
    }
    const source = pickHashedAttributes(entryOfLine(parsed));
    const { uid, entryId, receivedAt } = source;
    yield { leaf: entryHashOf(entryPreimage(source)), entry: { uid, entryId, receivedAt, source } };
    const { receipt } = parsed;
    if (receipt === null) continue;
    const what = `The receipt in line ${line} of ${path}`;
    yield entryOf(
      what,
      verifyKnownReceipt(what, () => receipt, origin, policy),
    );
  }
}

/**
 * Reads the entries that a file describes: a receipt, as a note or as the header has it, a result file of `ailog
 * upload`, an export, or a statement.
 * @param origin the name of the log
 * @param policy the policy with the keys of receipts
 * @throws Failure if the file is none of these, describes no entry, or has a receipt that none of the keys signed
 */
export async function* readKnown(path: string, origin: string, policy: Policy): AsyncGenerator<Known> {
  const file = readSmallFile(path);
  const text = file.bytes.toString();
  if (receiptEvidence.recognizes(text)) {
    yield entryOf(
      `The receipt ${path}`,
      verifyKnownReceipt(path, () => receiptNoteOf(file), origin, policy),
    );
    return;
  }
  let entries = 0;
  if (journalEvidence.recognizes(text)) {
    for (const [index, value] of readResults(path).entries()) {
      const { state, file: log, receipt: header } = requireLine(value, { number: index + 1, path });
      if (state !== 'stored' || header === undefined) continue;
      const what = `The receipt of ${log} in ${path}`;
      entries += 1;
      yield entryOf(
        what,
        verifyKnownReceipt(what, () => decodeReceiptHeader(header), origin, policy),
      );
    }
  } else if (statementEvidence.recognizes(text)) {
    for await (const known of readStatement(path, origin, policy)) {
      entries += 1;
      yield known;
    }
  } else {
    for await (const { fields } of readExport(path)) {
      if (!fields?.uid || !fields.entryId) continue;
      const source = sourceOf(fields);
      const leaf = entryHashOf(entryPreimage(source as HashedAttributes));
      entries += 1;
      yield {
        leaf,
        entry: { uid: fields.uid, entryId: fields.entryId, receivedAt: source.receivedAt ?? Number.NaN, source },
      };
    }
  }
  if (entries > 0) return;
  throw new Failure('usage', `${path} has no receipt and no entry.`, {
    advice: 'Give a receipt, a result file of ailog upload, an export of ailog logs export, or a statement.',
  });
}
