import type { APIGatewayProxyResult } from 'aws-lambda';
import { acceptedEntry } from '../receipts/acceptedEntry.ts';
import { pickHashedAttributes } from '../tlog/entryHash.ts';
import type { Dependencies, StoredEntries, UploadEvent } from './request.ts';
import { successResponse } from './response.ts';

/**
 * Stores the entry of a request that passed every check. The receipt in the response headers is the team's proof of the
 * upload. A missing receipt is logged and does not change the answer.
 * @throws Error if the entry is stored, but somebody has changed it: see `acceptedEntry`
 */
export const storeEntry =
  (dependencies: Pick<Dependencies, 'entries' | 'receipts' | 'now'> & { storedEntries: StoredEntries }) =>
  async (event: UploadEvent): Promise<APIGatewayProxyResult> => {
    const { entries, receipts, storedEntries, now } = dependencies;
    const { entry, deadline } = event;
    receipts.prepare();
    const known = storedEntries.get(entry.entryId);
    const stored = known ? undefined : await entries.put(entry, deadline);
    const accepted = known ?? (stored === 'not returned' ? undefined : acceptedEntry(entry, stored));
    if (accepted) storedEntries.set(entry.entryId, pickHashedAttributes(accepted));
    event.duplicate = known !== undefined || stored !== undefined;
    const proof: Record<string, string> = { 'AI-LOG-ID': entry.entryId, 'AI-LOG-DIGEST': entry.bodySha256 };
    if (event.orderWarning !== undefined) proof['AI-LOG-WARNING'] = event.orderWarning;
    try {
      if (!accepted) throw new Error('DynamoDB did not return the stored entry.');
      proof['AI-LOG-RECEIPT'] = await receipts.issue(accepted);
    } catch (error) {
      event.receiptError = error;
    }
    return successResponse(now(), { ...event.responseHeaders, ...proof });
  };
