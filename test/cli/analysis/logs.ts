import { createHash } from 'node:crypto';
import type { Order } from '../../../cli/analysis/order.ts';
import type { SignedLog } from '../../../cli/analysis/signedLog.ts';

/** The start of the tests' competition, in milliseconds since 1970. */
export const T0 = Date.parse('2025-11-17T00:00:00Z');

/**
 * Returns a log that was signed some seconds after T0.
 * @param received when the service received it, in seconds after T0
 */
export const log = (uid: string, second: number, orderId?: string, received = second + 0.1): SignedLog => {
  const signedAt = T0 + second * 1000;
  const hash = createHash('sha256').update(`${uid} ${second} ${orderId}`).digest('hex');
  const receivedAt = T0 + received * 1000;
  return {
    uid,
    signedAt,
    receivedAt,
    entryId: `${signedAt}-${hash.slice(0, 32)}`,
    ...(orderId !== undefined && { orderId }),
  };
};

/** Returns an order that was placed some seconds after T0. */
export const order = (uid: string, second: number, orderId: string): Order => ({
  uid,
  orderId,
  placedAt: T0 + second * 1000,
});
