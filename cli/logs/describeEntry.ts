import type { Entry } from '../../functions/ailog/entry.ts';

/**
 * An entry's facts, in the order in which they are shown, without its body: times as ISO 8601, the order id as a string,
 * which loses no digit.
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
