import { composeEntry, expiryOf, requireItemSize } from '../../ailog/entry.ts';
import { arrivalKeys } from '../../tlog/arrival.ts';
import type { Middleware } from '../request.ts';

/** Composes the entry and checks that it fits into one item, before the upload consumes any weight. */
export const prepareEntry = ({ entryRetentionDays }: { entryRetentionDays: number | undefined }): Middleware => ({
  before: ({ event }) => {
    const { caller, access, receivedAt, locale, rawBody, log } = event;
    const entry = composeEntry(log, {
      ...caller,
      timestamp: access.timestamp,
      signature: access.signature,
      receivedAt,
      locale,
      sourceIp: event.requestContext.identity.sourceIp,
      rawBody,
      ...expiryOf(receivedAt, entryRetentionDays),
    });
    event.entry = { ...entry, ...arrivalKeys(entry) };
    requireItemSize(event.entry);
  },
});
