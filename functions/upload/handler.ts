import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { BoundedMap } from '../boundedMap.ts';
import { authenticate } from './middleware/authenticate.ts';
import { checkAllowlist } from './middleware/checkAllowlist.ts';
import { checkTimestamp } from './middleware/checkTimestamp.ts';
import { enforceWeights } from './middleware/enforceWeights.ts';
import { errorResponse } from './middleware/errorResponse.ts';
import { logRequest } from './middleware/logRequest.ts';
import { parseJson } from './middleware/parseJson.ts';
import { prepareEntry } from './middleware/prepareEntry.ts';
import { readBody } from './middleware/readBody.ts';
import { readRecords } from './middleware/readRecords.ts';
import { requireHeaders } from './middleware/requireHeaders.ts';
import { startRequest } from './middleware/startRequest.ts';
import { timed } from './middleware/timed.ts';
import { validateBody } from './middleware/validateBody.ts';
import type { Dependencies, StoredEntries, UploadEvent } from './request.ts';
import { storeEntry } from './storeEntry.ts';

/** The number of entries that are remembered as stored. Few suffice: requests are accepted for at most 60 s. */
const STORED_ENTRIES_KEPT = 10_000;

/** Creates the steps of an upload, in the order in which they run. The first check that fails decides the response. */
export const uploadSteps = (dependencies: Dependencies) => {
  const storedEntries: StoredEntries = new BoundedMap(STORED_ENTRIES_KEPT);
  return {
    // Around the checks: clock and deadline, log line and metrics, error response.
    around: {
      startRequest: startRequest(dependencies),
      logRequest: logRequest(dependencies),
      errorResponse: errorResponse(dependencies),
    },
    checks: {
      // The request: headers, size and age.
      requireHeaders: requireHeaders(dependencies.config),
      readBody: readBody(),
      checkTimestamp: checkTimestamp(),
      // The caller: key, signature, passphrase and allowlist.
      readRecords: readRecords(dependencies),
      authenticate: authenticate(),
      checkAllowlist: checkAllowlist(),
      // The AI log: JSON, schema and size as an entry.
      parseJson: parseJson(),
      validateBody: validateBody(),
      prepareEntry: prepareEntry(dependencies.config),
      // The quota: last, so that a request that fails a check consumes no weight.
      enforceWeights: enforceWeights({ ...dependencies, storedEntries }),
    },
    last: {
      storeEntry: storeEntry({ ...dependencies, storedEntries }),
    },
  };
};

export const createHandler = (dependencies: Dependencies) => {
  const { around, checks, last } = uploadSteps(dependencies);
  return middy<UploadEvent, APIGatewayProxyResult>()
    .use(Object.values(around))
    .use(Object.entries(checks).map(([name, check]) => timed(name, check)))
    .handler(last.storeEntry);
};
