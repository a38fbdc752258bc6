import { readFileSync } from 'node:fs';
import { parseReceipt, type Receipt } from '../../../functions/receipts/receipt.ts';
import { type LeafSource, leafOf, leafPreimage } from '../../../functions/tlog/leaf.ts';
import { parseNote, verifyNote } from '../../../functions/tlog/note.ts';
import { parseVerifierKey } from '../../../functions/tlog/verifierKey.ts';
import { readExport } from '../../logs/readExport.ts';
import { Failure } from '../../terminal/failure.ts';

/** An entry that a receipt or an export from before tells of. */
export interface KnownEntry {
  readonly uid: string;
  readonly entryId: string;
  readonly receivedAt: number;
  /** The attributes that its leaf is made of, if an export has them. */
  readonly source?: Partial<LeafSource>;
  /** The file of a receipt that the service signed. */
  readonly receipt?: string;
}

/** Returns the attributes of a record of an export that a leaf is made of. */
function sourceOf(fields: Readonly<Record<string, string | null>>): Partial<LeafSource> {
  const { uid, entryId, receivedAt, bodyBytes, accessKey, timestamp, signature, query, locale, sourceIp, bodySha256 } =
    fields;
  const texts = { uid, entryId, accessKey, timestamp, signature, query, locale, sourceIp, bodySha256 };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => typeof value === 'string')),
    ...(receivedAt && { receivedAt: Date.parse(receivedAt) }),
    ...(bodyBytes && { bodyBytes: Number(bodyBytes) }),
  };
}

/** Reads a receipt. @throws Failure if no key signed it */
function readReceipt(path: string, text: string, keys: readonly string[]): Receipt {
  try {
    const note = parseNote(text.startsWith('ai-log-receipt/') ? text : Buffer.from(text.trim(), 'base64').toString());
    if (verifyNote(note, keys.map(parseVerifierKey)).length === 0) throw new Error('No key of this log signed it.');
    return parseReceipt(note.text);
  } catch (cause) {
    throw new Failure('usage', `${path} is not a receipt that can be trusted: ${(cause as Error).message}`, {
      cause,
      advice: 'Give the policy with the key that signed it: --policy FILE.',
    });
  }
}

/**
 * Reads the entries that a file tells of: a receipt, as a note or as the header has it, or an export.
 * @param keys the verifier keys of receipts
 * @throws Failure if the file is neither, or if the receipt is not signed by one of the keys
 */
export async function* readKnown(
  path: string,
  keys: readonly string[],
): AsyncGenerator<{ readonly leaf: Buffer; readonly entry: KnownEntry }> {
  const head = readFileSync(path).subarray(0, 4096).toString();
  if (head.startsWith('ai-log-receipt/') || /^[A-Za-z0-9+/=\s]+$/.test(head)) {
    const { leaf, uid, entryId, receivedAt } = readReceipt(path, readFileSync(path, 'utf8'), keys);
    yield { leaf: Buffer.from(leaf, 'hex'), entry: { uid, entryId, receivedAt, receipt: path } };
    return;
  }
  for await (const { fields } of readExport(path)) {
    if (!fields?.uid || !fields.entryId) continue;
    const source = sourceOf(fields);
    const leaf = leafOf(leafPreimage(source as LeafSource));
    yield {
      leaf,
      entry: { uid: fields.uid, entryId: fields.entryId, receivedAt: source.receivedAt ?? Number.NaN, source },
    };
  }
}
