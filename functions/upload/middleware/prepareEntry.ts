import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Entries } from '../../ailog/entries.ts';
import { composeEntry, type Entry, ITEM_LIMIT, itemBytes } from '../../ailog/entry.ts';
import { apiError } from '../../errors.ts';
import type { Middleware, UploadEvent } from '../request.ts';
import { accepted } from './errorResponse.ts';

/** How long an entry is kept, as the table's time to live has it; nothing where it is kept forever. */
const expiry = (receivedAt: number, days: number | undefined): Pick<Entry, 'expiresAt'> =>
  days === undefined ? {} : { expiresAt: Math.ceil(receivedAt / 1000) + days * 86_400 };

/**
 * The middleware of the stored size: makes the entry, and rejects it before it costs weight if it fits no item.
 * @param retentionDays how long the entry is kept; undefined: forever
 */
export const prepareEntry = (retentionDays?: number): Middleware => ({
  before: ({ event }) => {
    const { caller, access, receivedAt, locale, bytes, log } = event;
    const { sourceIp } = event.requestContext.identity;
    event.entry = composeEntry(log, {
      ...caller,
      timestamp: access.timestamp,
      signature: access.signature,
      receivedAt,
      locale,
      sourceIp,
      bytes,
      ...expiry(receivedAt, retentionDays),
    });
    const stored = itemBytes(event.entry);
    if (stored > ITEM_LIMIT) throw apiError('entryTooLarge', { limit: ITEM_LIMIT, received: bytes.length, stored });
  },
});

/** Behind all middlewares: stores the entry and answers with the team's proof of what it uploaded. */
export const storeEntry =
  ({ entries, now }: { entries: Entries; now: () => number }) =>
  async (event: UploadEvent): Promise<APIGatewayProxyResult> => {
    event.duplicate = (await entries.put(event.entry, event.deadline)) === 'duplicate';
    return accepted(now(), {
      ...event.answerHeaders,
      'AI-LOG-ID': event.entry.entryId,
      'AI-LOG-DIGEST': event.entry.bodySha256,
    });
  };
