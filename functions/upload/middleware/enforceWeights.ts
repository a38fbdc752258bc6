import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';
import { apiError } from '../../errors.ts';
import { type Weights, windowAt } from '../../weights/weights.ts';
import type { Middleware } from '../request.ts';

/** What one upload costs its UID and its IP address. */
const UPLOAD_WEIGHT = 1;

/**
 * Whom an address counts for: an IPv4 address for itself, an IPv6 address for its /64, which is what one subscriber is
 * given. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
 */
export function ipSubject(sourceIp: string): string {
  if (!ipaddr.isValid(sourceIp)) return sourceIp;
  const address = ipaddr.process(sourceIp);
  if (address.kind() === 'ipv4') return address.toString();
  return `${new ipaddr.IPv6([...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toRFC5952String()}/64`;
}

/**
 * The middleware of the weights: takes 1 from the UID and 1 from the IP address, both at once, and puts into the answer's
 * headers what is left (RateLimit-Policy and RateLimit, IETF draft-ietf-httpapi-ratelimit-headers).
 */
export const enforceWeights = ({
  weights,
  config: { uidQuota, ipQuota, windowSeconds },
  now,
}: {
  weights: Weights;
  config: Pick<Config, 'uidQuota' | 'ipQuota' | 'windowSeconds'>;
  now: () => number;
}): Middleware => ({
  before: async ({ event }) => {
    const time = now();
    const window = windowAt(time, windowSeconds);
    const subjects = [
      { name: 'UID', item: 'uid', quota: uidQuota, key: `uid#${event.caller.uid}` },
      { name: 'IP', item: 'ip', quota: ipQuota, key: `ip#${ipSubject(event.requestContext.identity.sourceIp)}` },
    ];
    // Who is known to have nothing left costs no call, and nobody else any weight.
    const remembered = subjects.flatMap((subject) => {
      const used = weights.usedWhenExceeded(subject.key, window);
      return used === undefined ? [] : [{ ...subject, granted: false, used }];
    });
    const consume = async (subject: (typeof subjects)[number]) => ({
      ...subject,
      ...(await weights.consume(subject.key, window, { weight: UPLOAD_WEIGHT, quota: subject.quota }, event.deadline)),
    });
    const consumptions = remembered.length > 0 ? remembered : await Promise.all(subjects.map(consume));

    const seconds = Math.ceil((window.end - time) / 1000);
    event.answerHeaders['RateLimit-Policy'] = consumptions
      .map(({ item, quota }) => `"${item}";q=${quota};w=${windowSeconds}`)
      .join(', ');
    event.answerHeaders.RateLimit = consumptions
      .map(({ item, quota, used }) => `"${item}";r=${Math.max(0, quota - used)};t=${seconds}`)
      .join(', ');

    const exceeded = consumptions.find(({ granted }) => !granted);
    if (exceeded) {
      const { name: subject, used, quota } = exceeded;
      throw apiError('weightExceeded', { subject, used, quota, seconds: windowSeconds }, { retryAfter: seconds });
    }
  },
});
