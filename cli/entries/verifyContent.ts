import { attributesOf, type Entry } from '../../functions/ailog/entry.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import type { Finding } from './verdict.ts';

/** An entry without its compressed body. Compressing a body again takes longer than everything else here, and tells nothing. */
type Attributes = Omit<Entry, 'body'>;

const DIGEST_FIELDS = ['bodySha256', 'bodyBytes', 'entryId'] as const;
const COPIED_FIELDS = ['orderId', 'stage', 'model', 'explanation'] as const;

/**
 * Compares fields of two entries and names those that differ.
 * @param earlier further values that are right: see `earlierCopies`
 */
function compare(
  entry: Attributes,
  expected: Attributes,
  fields: readonly (keyof Attributes)[],
  earlier: Partial<Attributes> = {},
): Finding {
  const wrong = fields.filter(
    (field) => entry[field] !== expected[field] && !(field in earlier && entry[field] === earlier[field]),
  );
  return wrong.length === 0 ? 'ok' : `wrong: ${wrong.join(', ')}`;
}

/** Returns the log in a body, or undefined if the function would reject it. */
function logOf(body: Buffer): AiLog | undefined {
  try {
    const text = body.toString();
    return validateAiLog(JSON.parse(text), text);
  } catch {
    return undefined;
  }
}

/** Returns the copies that entries of earlier versions hold: stage and model in full length, and the explanation. */
const earlierCopies = ({ stage, model, explanation }: AiLog) => ({
  stage: stage.toWellFormed(),
  model: model.toWellFormed(),
  explanation: explanation.toWellFormed(),
});

/** The findings that only an entry and its body are needed for. */
export interface ContentFindings {
  readonly digest: Finding;
  readonly fields: Finding;
}

/** Compares digest and fields of an entry with the entry that the function would compose from its body. */
export function verifyContent(entry: Attributes, bytes: Buffer): ContentFindings {
  const { orderId: _orderId, explanation: _explanation, ...received } = entry;
  const log = logOf(bytes);
  // Digest, length and entry id do not depend on the log's fields, so they can be checked for any body.
  const placeholder = { stage: '', model: '', explanation: '', input: {}, output: {} };
  const expected = attributesOf(log ?? placeholder, { ...received, query: entry.query ?? '', rawBody: bytes });
  return {
    digest: compare(entry, expected, DIGEST_FIELDS),
    fields: log ? compare(entry, expected, COPIED_FIELDS, earlierCopies(log)) : 'wrong: the body is not an AI log',
  };
}
