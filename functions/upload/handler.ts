import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import { prepareEntry, storeEntry } from '../ailog/storeEntry.ts';
import { validateBody } from '../ailog/validateBody.ts';
import type { Allowlist } from '../allowlist/allowlist.ts';
import { checkAllowlist } from '../allowlist/checkAllowlist.ts';
import type { ApiKeys } from '../auth/apiKeys.ts';
import { authenticate, checkTimestamp } from '../auth/authenticate.ts';
import type { Vault } from '../auth/vault.ts';
import type { Config } from '../config.ts';
import { parseJson, readBody } from '../http/body.ts';
import { answerRefusals } from '../http/envelope.ts';
import { requireHeaders } from '../http/headers.ts';
import { enforceWeights } from '../weights/enforceWeights.ts';
import type { Weights } from '../weights/weights.ts';
import { readRecords } from './readRecords.ts';
import { report, timed } from './report.ts';
import type { UploadEvent } from './request.ts';
import { openRequest } from './request.ts';

/** What the gates work with. */
export interface Dependencies {
  readonly config: Config;
  readonly apiKeys: ApiKeys;
  readonly allowlist: Allowlist;
  readonly vault: Vault;
  readonly weights: Weights;
  readonly entries: Entries;
  /** The server's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The way of a request: through these gates in this order, then into the table. The first gate that refuses answers. */
export const createHandler = (dependencies: Dependencies) => {
  const gates = {
    requireHeaders: requireHeaders(dependencies.config),
    readBody: readBody(),
    checkTimestamp: checkTimestamp(),
    readRecords: readRecords(dependencies),
    authenticate: authenticate(dependencies),
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
