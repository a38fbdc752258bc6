import type { Settings } from '../settings.ts';

/** The time span in seconds over which the firewall counts the requests of an IP address. */
export const EVALUATION_SECONDS = 60;

/** The flood limit as a multiple of the requests that the IP quota allows. */
const FLOOD_MARGIN = 2;

/** The minimum flood limit, in requests per minute: under a small quota, a client may resend quickly. */
const MIN_FLOOD_LIMIT = 600;

/**
 * The number of requests per minute and IP address that the firewall allows: twice what the quota can allow, which is
 * the quota of every window that overlaps the minute. A team that stays within its quota is therefore never blocked.
 */
export const floodLimit = ({ ipQuota, windowSeconds }: Pick<Settings, 'ipQuota' | 'windowSeconds'>): number =>
  Math.max(MIN_FLOOD_LIMIT, FLOOD_MARGIN * ipQuota * (Math.ceil(EVALUATION_SECONDS / windowSeconds) + 1));
