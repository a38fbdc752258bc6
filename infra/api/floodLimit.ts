import type { Settings } from '../settings.ts';

/** The time span in seconds over which the firewall counts the requests of an IP address. */
export const EVALUATION_SECONDS = 60;

/** The share of the gateway's rate that the firewall may allow one IP address. Ten of them fill the stage. */
export const FLOOD_SHARE = 0.1;

/** The minimum flood limit, in requests per minute: under a small quota, a client may resend quickly. */
const MIN_FLOOD_LIMIT = 600;

/** The requests per minute of an IP address: twice its quota in the minute, so that it blocks no team within it. */
export const floodLimit = ({ ipQuota, windowSeconds }: Pick<Settings, 'ipQuota' | 'windowSeconds'>): number =>
  Math.max(MIN_FLOOD_LIMIT, 2 * ipQuota * (Math.ceil(EVALUATION_SECONDS / windowSeconds) + 1));

/**
 * The requests per minute that the firewall allows the IPv6 addresses of one network operator (ASN), as much as one
 * IPv4 address at most, and all of IPv6 together, half of the rate: a host has 2^64 of them.
 */
export const ipv6FloodLimits = ({ apiRateLimit }: Pick<Settings, 'apiRateLimit'>) => {
  const limit = (share: number) => Math.max(MIN_FLOOD_LIMIT, Math.floor(share * apiRateLimit * EVALUATION_SECONDS));
  return { ofNetwork: limit(FLOOD_SHARE), together: limit(0.5) };
};
