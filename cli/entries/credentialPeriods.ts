import type { ApiKey } from '../../functions/auth/apiKeys.ts';

/** Sealed credentials of a key and the time in which the service accepted them, in milliseconds since 1970. */
export interface CredentialPeriod {
  readonly credentials: Uint8Array;
  readonly from: number;
  /** Infinity for current credentials. */
  readonly until: number;
}

/**
 * Returns all credentials that a key ever had and kept, the current ones first, with their periods. Each set begins where the
 * rotation replaced the one before. A time that is not a date is NaN.
 */
export function credentialPeriods({ createdAt, credentials: latest, earlier = [] }: ApiKey): CredentialPeriod[] {
  const starts = [createdAt, ...earlier.map(({ replacedAt }) => replacedAt)].map((time) => Date.parse(time));
  const periods = earlier.map(({ credentials, validUntil, replacedAt }, index) => ({
    credentials,
    from: starts[index] as number,
    until: Date.parse(validUntil ?? replacedAt),
  }));
  const current = { credentials: latest, from: starts.at(-1) as number, until: Number.POSITIVE_INFINITY };
  return [current, ...periods.reverse()];
}
