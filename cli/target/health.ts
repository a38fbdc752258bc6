import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import { formatDuration, formatTime } from '../text/time.ts';

/** The result of one check of a deployment. */
export interface Health {
  readonly check: string;
  /** `warning`: look at it soon. `failing`: teams are affected, or will be. */
  readonly status: 'ok' | 'warning' | 'failing';
  readonly says: string;
}

/** The share of requests that may fail for reasons of the service. It is the threshold of the alarm ServerErrors. */
const SERVER_ERROR_SHARE = 0.01;
/** The share of rejected requests above which something is wrong with many teams. It is the threshold of the alarms. */
const REJECTED_SHARE = 0.2;

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Judges the status of a stack, as CloudFormation names it. @param at the time of the last change, if it is known */
export function judgeStack(status: string, at?: Date): Health {
  const says = `${status}${at ? `, ${formatTime(at.getTime())}` : ''}`;
  if (/ROLLBACK|FAILED|DELETE/.test(status)) return { check: 'stack', status: 'failing', says };
  return { check: 'stack', status: status.endsWith('_COMPLETE') ? 'ok' : 'warning', says };
}

/** An alarm of a deployment. */
export interface AlarmState {
  readonly name: string;
  readonly state: string;
  /** The effect on teams. */
  readonly impact: string;
  readonly since?: Date | undefined;
}

/** Judges alarms: a row for each that is in alarm, or one row for all. */
export function judgeAlarms(alarms: readonly AlarmState[]): Health[] {
  if (alarms.length === 0) return [{ check: 'alarms', status: 'warning', says: 'the stack has no alarms' }];
  const ringing = alarms.filter(({ state }) => state === 'ALARM');
  if (ringing.length > 0) {
    return ringing.map(({ name, impact, since }) => ({
      check: 'alarms',
      status: 'failing',
      says: `${name}${since ? ` since ${formatTime(since.getTime())}` : ''}: ${impact}`,
    }));
  }
  const blind = alarms.filter(({ state }) => state !== 'OK').length;
  const says = `none of ${alarms.length} is in alarm${blind > 0 ? `; ${blind} without data so far` : ''}`;
  return [{ check: 'alarms', status: 'ok', says }];
}

/** The requests of a span of time. */
export interface Requests {
  readonly accepted: number;
  readonly rejected: number;
  /** Rejected because the service failed; they are also in `rejected`. */
  readonly serverErrors: number;
}

/** Judges the shares of errors of the last hour. */
export function judgeErrors({ accepted, rejected, serverErrors }: Requests): Health {
  const all = accepted + rejected;
  if (all === 0) return { check: 'errors', status: 'ok', says: 'no requests in the last hour' };
  const shares = { rejected: rejected / all, server: serverErrors / all };
  const says = `last hour: ${accepted} accepted, ${rejected} rejected (${percent(shares.rejected)}), ${serverErrors} server errors (${percent(shares.server)})`;
  if (shares.server >= SERVER_ERROR_SHARE) return { check: 'errors', status: 'failing', says };
  return { check: 'errors', status: serverErrors > 0 || shares.rejected >= REJECTED_SHARE ? 'warning' : 'ok', says };
}

/** Judges a canary. @param weights the share of requests of each new version; empty if no canary runs */
export function judgeCanary(version: string, weights: Readonly<Record<string, number>>): Health {
  const [[next, share] = []] = Object.entries(weights);
  if (next === undefined) return { check: 'canary', status: 'ok', says: `none; version ${version} has all requests` };
  const says = `version ${next} has ${percent(share as number)} of the requests, version ${version} the others`;
  return { check: 'canary', status: 'warning', says };
}

/** Judges the time of the last upload. @param quiet milliseconds without an upload that are normal */
export function judgeLastUpload(
  last: { readonly uid: string; readonly receivedAt: number } | undefined,
  { now, quiet }: { now: number; quiet: number },
): Health {
  if (!last) return { check: 'last upload', status: 'warning', says: 'no log was ever stored' };
  const age = Math.max(0, now - last.receivedAt);
  const says = `${formatDuration(age)} ago, UID ${last.uid}`;
  return { check: 'last upload', status: age > quiet ? 'warning' : 'ok', says };
}

/** Judges the expiry of keys. @param within milliseconds: a key that expires sooner is a warning */
export function judgeKeys(keys: readonly ApiKey[], { now, within }: { now: number; within: number }): Health[] {
  const active = keys.filter(({ status, expiresAt }) => status === 'active' && !(Date.parse(expiresAt ?? '') <= now));
  const expiring = active
    .filter(({ expiresAt }) => Date.parse(expiresAt ?? '') <= now + within)
    .sort((a, b) => (a.expiresAt as string).localeCompare(b.expiresAt as string));
  if (active.length === 0) return [{ check: 'keys', status: 'warning', says: 'there is no key that is valid' }];
  if (expiring.length === 0) {
    return [
      { check: 'keys', status: 'ok', says: `${active.length} valid, none expires within ${formatDuration(within)}` },
    ];
  }
  return expiring.map(({ accessKey, uid, expiresAt }) => ({
    check: 'keys',
    status: 'warning',
    says: `${accessKey} of UID ${uid} expires at ${expiresAt}`,
  }));
}
