import type { Settings } from '../settings.ts';

/** The time span in seconds over which the firewall counts the requests of an IP address. */
export const EVALUATION_SECONDS = 60;

/** The flood limit as a multiple of the requests that the IP quota allows. */
const FLOOD_MARGIN = 2;

/** The share of the gateway's rate that the firewall may allow one IP address. Ten of them fill the stage. */
export const FLOOD_SHARE = 0.1;

/** The share of the gateway's rate that all IPv6 addresses together have. The other half is left to IPv4. */
const IPV6_SHARE = 0.5;

/** The minimum flood limit, in requests per minute: under a small quota, a client may resend quickly. */
const MIN_FLOOD_LIMIT = 600;

/**
 * The number of requests per minute and IP address that the firewall allows: twice what the quota can allow, which is
 * the quota of every window that overlaps the minute. A team that stays within its quota is therefore never blocked.
 */
export const floodLimit = ({ ipQuota, windowSeconds }: Pick<Settings, 'ipQuota' | 'windowSeconds'>): number =>
  Math.max(MIN_FLOOD_LIMIT, FLOOD_MARGIN * ipQuota * (Math.ceil(EVALUATION_SECONDS / windowSeconds) + 1));

/**
 * The numbers of requests per minute that the firewall allows the IPv6 addresses of one network operator (ASN), which
 * has as much as one IPv4 address may have at most, and all IPv6 addresses together: a host has 2^64 of them.
 */
export const ipv6FloodLimits = ({ apiRateLimit }: Pick<Settings, 'apiRateLimit'>) => {
  const [ofNetwork, together] = [FLOOD_SHARE, IPV6_SHARE].map((share) =>
    Math.max(MIN_FLOOD_LIMIT, Math.floor(share * apiRateLimit * EVALUATION_SECONDS)),
  ) as [number, number];
  return { ofNetwork, together };
};
