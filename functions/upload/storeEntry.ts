import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../ailog/entries.ts';
import { acceptedEntry } from '../receipts/acceptedEntry.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { pickHashedAttributes } from '../tlog/entryHash.ts';
import type { StoredEntries, UploadEvent } from './request.ts';
import { successResponse } from './response.ts';

/**
 * Stores the entry of a request that passed every check. The response headers are the team's proof of the upload. A
 * missing receipt is logged and does not change the answer.
 */
export const storeEntry =
  ({
    entries,
    receipts,
    storedEntries,
    now,
  }: {
    entries: Entries;
    receipts: Receipts;
    storedEntries: StoredEntries;
    now: () => number;
  }) =>
  async (event: UploadEvent): Promise<APIGatewayProxyResult> => {
    const { entry, deadline } = event;
    receipts.prepare();
    const earlier = storedEntries.get(entry.entryId) ?? (await entries.put(entry, deadline));
    storedEntries.set(entry.entryId, pickHashedAttributes(earlier ?? entry));
    event.duplicate = earlier !== undefined;
    const proof: Record<string, string> = { 'AI-LOG-ID': entry.entryId, 'AI-LOG-DIGEST': entry.bodySha256 };
    if (event.orderWarning !== undefined) proof['AI-LOG-WARNING'] = event.orderWarning;
    try {
      proof['AI-LOG-RECEIPT'] = await receipts.issue(acceptedEntry(entry, earlier));
    } catch (error) {
      event.receiptError = error;
    }
    return successResponse(now(), { ...event.responseHeaders, ...proof });
  };
