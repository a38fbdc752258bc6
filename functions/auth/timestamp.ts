import { apiError } from '../errors.ts';

/** The maximum difference between the caller's clock and the server's in either direction, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 30_000;

/** Checks ACCESS-TIMESTAMP by the server's clock. @throws ApiError 40005 if it is not 13 digits, 40008 if it is off */
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
