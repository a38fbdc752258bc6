import { apiError } from '../errors.ts';

/** The largest difference between the caller's clock and the server's, in milliseconds, in either direction. */
export const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Checks the form of ACCESS-TIMESTAMP and that it is recent.
 * @param receivedAt the server's clock, in milliseconds since 1970
 * @throws ApiError 40005 for anything but 13 digits, 40008 with the server's time if it is too far from that
 */
export function requireRecent(timestamp: string, receivedAt: number): void {
  if (!/^\d{13}$/.test(timestamp)) throw apiError('timestampInvalid');
  if (Math.abs(receivedAt - Number(timestamp)) > CLOCK_TOLERANCE_MS) {
    throw apiError('timestampExpired', {
      serverTime: receivedAt,
      timestamp,
      toleranceSeconds: CLOCK_TOLERANCE_MS / 1000,
    });
  }
}
