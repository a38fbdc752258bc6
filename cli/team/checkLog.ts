import { composeEntry, requireItemSize } from '../../functions/ailog/entry.ts';
import { ApiError } from '../../functions/errors.ts';
import { readAiLog } from '../data/readAiLog.ts';

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

/** Returns the error that the service would respond with to a body; undefined if it would accept it. */
export function checkLog(rawBody: Buffer): Pick<ApiError, 'code' | 'message'> | undefined {
  try {
    requireItemSize(composeEntry(readAiLog(rawBody), { ...REQUEST, rawBody }));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
