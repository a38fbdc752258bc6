import type { Entry } from '../../functions/ailog/entry.ts';

/**
 * Describes an entry without its body, its fields in the order in which they are shown. Times are ISO 8601. The order id is
 * a string, so that no digit is lost.
 */
export const describeEntry = (entry: Entry) => ({
  uid: entry.uid,
  entryId: entry.entryId,
  receivedAt: new Date(entry.receivedAt).toISOString(),
  orderId: entry.orderId === undefined ? null : String(entry.orderId),
  stage: entry.stage,
  model: entry.model,
  explanation: entry.explanation,
  bodySha256: entry.bodySha256,
  bodyBytes: entry.bodyBytes,
  accessKey: entry.accessKey,
  timestamp: entry.timestamp,
  signature: entry.signature,
  query: entry.query ?? null,
  locale: entry.locale,
  sourceIp: entry.sourceIp,
});
