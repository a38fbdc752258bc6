import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { prepareEntry, storeEntry } from '../ailog/storeEntry.ts';
import { validateBody } from '../ailog/validateBody.ts';
import { checkAllowlist } from '../allowlist/checkAllowlist.ts';
import { authenticate, checkTimestamp } from '../auth/authenticate.ts';
import { parseJson, readBody } from '../http/body.ts';
import { answerRefusals } from '../http/envelope.ts';
import { requireHeaders } from '../http/headers.ts';
import { enforceWeights } from '../weights/enforceWeights.ts';
import { readRecords } from './readRecords.ts';
import { report, timed } from './report.ts';
import { type Dependencies, openRequest, type UploadEvent } from './request.ts';

/** The way of a request: through these gates in this order, then into the table. The first gate that refuses answers. */
export const createHandler = (dependencies: Dependencies) => {
  const gates = {
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
    .use(report(dependencies))
    .use(answerRefusals(dependencies))
    .use(Object.entries(gates).map(([name, gate]) => timed(name, gate)))
    .handler(storeEntry(dependencies));
};
