import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import type { UploadEvent } from './request.ts';
import { successResponse } from './response.ts';

/** Stores the entry of a request that passed every check. The response headers are the team's proof of the upload. */
export const storeEntry =
  ({ entries, now }: { entries: Entries; now: () => number }) =>
  async (event: UploadEvent): Promise<APIGatewayProxyResult> => {
    event.duplicate = (await entries.put(event.entry, event.deadline)) === 'duplicate';
    return successResponse(now(), {
      ...event.responseHeaders,
      'AI-LOG-ID': event.entry.entryId,
      'AI-LOG-DIGEST': event.entry.bodySha256,
    });
  };
