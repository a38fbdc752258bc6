import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { validateBody } from '../ailog/validateAiLog.ts';
import { authenticate, checkTimestamp } from './middleware/authenticate.ts';
import { checkAllowlist } from './middleware/checkAllowlist.ts';
import { enforceWeights } from './middleware/enforceWeights.ts';
import { errorResponse } from './middleware/errorResponse.ts';
import { logRequest, timed } from './middleware/logRequest.ts';
import { parseJson, readBody } from './middleware/parseJson.ts';
import { prepareEntry, storeEntry } from './middleware/prepareEntry.ts';
import { readRecords } from './middleware/readRecords.ts';
import { requireHeaders } from './middleware/requireHeaders.ts';
import { type Dependencies, openRequest, type UploadEvent } from './request.ts';

/** The way of a request: through these middlewares in this order, then into the table. The first middleware that rejects answers. */
export const createHandler = (dependencies: Dependencies) => {
  const middlewares = {
    requireHeaders: requireHeaders(dependencies.config),
    readBody: readBody(),
    checkTimestamp: checkTimestamp(),
    readRecords: readRecords(dependencies),
    authenticate: authenticate(),
    checkAllowlist: checkAllowlist(),
    parseJson: parseJson(),
    validateBody: validateBody(),
    prepareEntry: prepareEntry(dependencies.config.entryRetentionDays),
    enforceWeights: enforceWeights(dependencies),
  };
  return middy<UploadEvent, APIGatewayProxyResult>()
    .use(openRequest(dependencies))
    .use(logRequest(dependencies))
    .use(errorResponse(dependencies))
    .use(Object.entries(middlewares).map(([name, middleware]) => timed(name, middleware)))
    .handler(storeEntry(dependencies));
};
