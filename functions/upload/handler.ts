import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { BoundedMap } from '../boundedMap.ts';
import { errorResponse, logRequest, startRequest } from './middleware/around.ts';
import { authenticate, checkAllowlist, readRecords } from './middleware/checkCaller.ts';
import { parseJson, prepareEntry, validateBody } from './middleware/checkLog.ts';
import { checkTimestamp, readBody, requireHeaders } from './middleware/checkRequest.ts';
import { enforceWeights } from './middleware/enforceWeights.ts';
import type { Dependencies, StoredEntries } from './request.ts';
import { Steps } from './steps.ts';
import { storeEntry } from './storeEntry.ts';

/** The number of entries that are remembered as stored. Few suffice: requests are accepted for at most 60 s. */
const STORED_ENTRIES_KEPT = 10_000;

/** Creates the steps of an upload, in the order in which they run. The first check that fails decides the response. */
export const uploadSteps = (dependencies: Dependencies) => {
  const storedEntries: StoredEntries = new BoundedMap(STORED_ENTRIES_KEPT);
  return (
    new Steps()
      // Around the checks: clock and deadline, log line and metrics, error response.
      .around('startRequest', startRequest(dependencies))
      .around('logRequest', logRequest(dependencies))
      .around('errorResponse', errorResponse(dependencies))
      // The request: headers, size and age.
      .check('requireHeaders', requireHeaders(dependencies.config))
      .check('readBody', readBody())
      .check('checkTimestamp', checkTimestamp())
      // The caller: key, signature, passphrase and allowlist.
      .check('readRecords', readRecords(dependencies))
      .check('authenticate', authenticate())
      .check('checkAllowlist', checkAllowlist())
      // The AI log: JSON, schema and size as an entry.
      .check('parseJson', parseJson())
      .check('validateBody', validateBody())
      .check('prepareEntry', prepareEntry(dependencies.config))
      // The quota: last, so that a request that fails a check consumes no weight.
      .check('enforceWeights', enforceWeights({ ...dependencies, storedEntries }))
      .last(storeEntry({ ...dependencies, storedEntries }))
  );
};

/** @throws Error if something else calls, as the test button of Lambda's console or a schedule that warms functions */
function requireGateway(event?: Partial<APIGatewayProxyEvent>): void {
  if (event?.requestContext?.requestId === undefined)
    throw new Error('The event is no request of API Gateway. Nothing else may call this function: send an upload.');
}

export const createHandler = (dependencies: Dependencies) => {
  const { steps, handle } = uploadSteps(dependencies);
  const upload = middy<APIGatewayProxyEvent, APIGatewayProxyResult>(handle).use(Object.values(steps));
  return async (...args: Parameters<typeof upload>) => {
    requireGateway(args[0]);
    return upload(...args);
  };
};
