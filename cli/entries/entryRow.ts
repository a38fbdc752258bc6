import type { Entry } from '../../functions/ailog/entry.ts';
import type { Row } from '../terminal/format.ts';
import { formatTime } from '../text/time.ts';

/** Returns the row of an entry in a list. */
export const entryRow = ({ uid, entryId, timestamp, orderId, stage, model, bodyBytes }: Entry): Row => ({
  uid,
  entry: entryId,
  signed: formatTime(Number(timestamp)),
  order: orderId,
  stage,
  model,
  bytes: bodyBytes,
});
