import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import type { StoredEntries, UploadEvent } from './request.ts';
import { successResponse } from './response.ts';

/** Stores the entry of a request that passed every check. The response headers are the team's proof of the upload. */
export const storeEntry =
  ({ entries, storedEntries, now }: { entries: Entries; storedEntries: StoredEntries; now: () => number }) =>
  async (event: UploadEvent): Promise<APIGatewayProxyResult> => {
    const { entryId, bodySha256 } = event.entry;
    const known = storedEntries.get(entryId);
    event.duplicate = known !== undefined || (await entries.put(event.entry, event.deadline)) === 'duplicate';
    const proof = known ?? { 'AI-LOG-ID': entryId, 'AI-LOG-DIGEST': bodySha256 };
    storedEntries.set(entryId, proof);
    return successResponse(now(), { ...event.responseHeaders, ...proof });
  };
