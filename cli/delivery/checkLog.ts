import { composeEntry, requireItemSize } from '../../functions/ailog/entry.ts';
import { ApiError } from '../../functions/errors.ts';
import { readAiLog } from './readAiLog.ts';

/** Stands in for what only a request has. It adds to the size of the entry, but no rule depends on it. */
const REQUEST = {
  uid: '',
  accessKey: '',
  timestamp: '',
  signature: '',
  query: '',
  receivedAt: 0,
  locale: 'en-US',
  sourceIp: '',
};

/** The result of a check: the error that the service would respond with, or the order that the log names. */
interface Checked {
  readonly objection?: Pick<ApiError, 'code' | 'message'>;
  /** The order id as text; null if the log names no order. */
  readonly orderId: string | null;
}

/** Checks a body as the service would. */
export function checkLog(rawBody: Buffer): Checked {
  try {
    const entry = composeEntry(readAiLog(rawBody), { ...REQUEST, rawBody });
    requireItemSize(entry);
    return { orderId: entry.orderId === undefined ? null : String(entry.orderId) };
  } catch (error) {
    if (error instanceof ApiError) return { objection: error, orderId: null };
    throw error;
  }
}
