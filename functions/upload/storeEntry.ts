import type { APIGatewayProxyResult } from 'aws-lambda';
import { acceptedEntry } from '../receipts/acceptedEntry.ts';
import { type HashedAttributes, pickHashedAttributes } from '../tlog/entryHash.ts';
import type { Dependencies, StoredEntries, UploadEvent } from './request.ts';
import { successResponse } from './response.ts';

/** `duplicate`: an earlier attempt stored the entry; `accepted` is undefined if DynamoDB did not return that one. */
type Stored = Readonly<{ duplicate: boolean; accepted: HashedAttributes | undefined }>;

/** Stores an entry; without a receipt, the answer is the same. @throws Error if somebody changed it: `acceptedEntry` */
export const storeEntry = (
  dependencies: Pick<Dependencies, 'entries' | 'receipts' | 'now'> & { storedEntries: StoredEntries },
) => {
  const { entries, receipts, storedEntries, now } = dependencies;
  const store = async ({ entry, deadline }: UploadEvent<'entry' | 'deadline'>): Promise<Stored> => {
    const known = storedEntries.get(entry.entryId);
    if (known) return { duplicate: true, accepted: known };
    const put = await entries.put(entry, deadline);
    if (put.outcome === 'created') return { duplicate: false, accepted: entry };
    return { duplicate: true, accepted: put.outcome === 'existing' ? acceptedEntry(entry, put.stored) : undefined };
  };

  return async (
    event: UploadEvent<'entry' | 'deadline' | 'orderWarning' | 'responseHeaders', 'duplicate' | 'receiptError'>,
  ): Promise<APIGatewayProxyResult> => {
    const { entry } = event;
    receipts.prepare();
    const { duplicate, accepted } = await store(event);
    event.duplicate = duplicate;
    if (accepted) storedEntries.set(entry.entryId, pickHashedAttributes(accepted));
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
};
