import { apiError } from '../errors.ts';

export const BODY_LIMIT_BYTES = 1024 * 1024;

/** The maximum size of a DynamoDB item, in bytes: attribute names and values together. */
export const ITEM_LIMIT_BYTES = 400 * 1024;

/** Checks the size of a request body. @throws ApiError 413 if it is over the limit */
export function requireBodySize({ length: received }: Pick<Uint8Array, 'length'>): void {
  if (received > BODY_LIMIT_BYTES) throw apiError('bodyTooLarge', { limit: BODY_LIMIT_BYTES, received });
}
