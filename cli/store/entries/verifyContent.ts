import { attributesOf, type Entry } from '../../../functions/ailog/entry.ts';
import { spellingOfNumber } from '../../../functions/ailog/jsonScanner.ts';
import { requireJsonObject } from '../../../functions/ailog/jsonText.ts';
import { isOrderId } from '../../../functions/ailog/orderId.ts';
import { parseJson } from '../../../functions/ailog/plainNames.ts';

/** `not checked`: not wrong, as a missing right is no forgery, and not ok, so that no forged entry passes. */
export type Finding = 'ok' | `not checked: ${string}` | `wrong: ${string}`;

export interface Verdict {
  /** Checks that the stored body has the recorded digest and length, and that the entry id is right. */
  readonly digest: Finding;
  /** Checks that the copies beside the body (order id, stage and model; earlier also the explanation) match it. */
  readonly fields: Finding;
  /** Checks that the access key signed this body at this time. */
  readonly signature: Finding;
  /** Checks that the entry was received close to the time that was signed, while its key and credentials were valid. */
  readonly time: Finding;
}

/** Returns true if no check found a problem. A check that could not be made is not a problem. */
export const holds = (verdict: Verdict): boolean =>
  Object.values<Finding>({ ...verdict }).every((finding) => !finding.startsWith('wrong'));

/** Returns true if no check found a problem, but one could not be made. */
export const isUnchecked = (verdict: Verdict): boolean =>
  holds(verdict) && Object.values<Finding>({ ...verdict }).some((finding) => finding.startsWith('not checked'));

/** An entry without its compressed body: compressing one again takes longer than everything else here. */
type Attributes = Omit<Entry, 'body'> & {
  /** The explanation, as exports and statements show it. Absent in an entry of the table. */
  readonly explanation?: string;
};

const DIGEST_FIELDS = ['bodySha256', 'bodyBytes', 'entryId'] as const;
const COPIED_FIELDS = ['orderId', 'stage', 'model', 'explanation'] as const;

function compare(entry: Attributes, expected: Attributes, fields: readonly (keyof Attributes)[]): Finding {
  const wrong = fields.filter((field) => entry[field] !== expected[field]);
  return wrong.length === 0 ? 'ok' : `wrong: ${wrong.join(', ')}`;
}

/** Returns the fields that the service copies, whatever the schema says today; undefined if the body is no log. */
function copiedFieldsOf(body: Buffer) {
  try {
    const text = body.toString();
    const { orderId, stage, model, explanation } = requireJsonObject(parseJson(text));
    const order = typeof orderId === 'number' ? spellingOfNumber(text, 'orderId') : (orderId ?? '');
    if (typeof order !== 'string' || !isOrderId(order)) return undefined;
    if (typeof stage !== 'string' || typeof model !== 'string' || typeof explanation !== 'string') return undefined;
    return { orderId: order, stage, model, explanation };
  } catch {
    return undefined;
  }
}

/** Compares digest and fields of an entry with the entry that the function would compose from its body. */
export function verifyContent(entry: Attributes, bytes: Buffer): Pick<Verdict, 'digest' | 'fields'> {
  const { orderId: _orderId, explanation, ...received } = entry;
  const log = copiedFieldsOf(bytes);
  // Digest, length and entry id do not depend on the log's fields, so they can be checked for any body.
  const placeholder = { stage: '', model: '' };
  const expected: Attributes = {
    ...attributesOf(log ?? placeholder, { ...received, rawBody: bytes }),
    ...(log && explanation !== undefined && { explanation: log.explanation.toWellFormed() }),
  };
  return {
    digest: compare(entry, expected, DIGEST_FIELDS),
    fields: log ? compare(entry, expected, COPIED_FIELDS) : 'wrong: the body is not an AI log',
  };
}
