import { apiError } from '../../errors.ts';
import { ipSubject, windowAt } from '../../weights/weights.ts';
import type { Dependencies, Step, StoredEntries } from '../request.ts';

/** Consumes a weight of 1 from the quotas, and reports the rest (IETF draft-ietf-httpapi-ratelimit-headers). */
export const enforceWeights = ({
  weights,
  config: { uidQuota, ipQuota, windowSeconds },
  storedEntries,
  now,
}: Pick<Dependencies, 'weights' | 'config' | 'now'> & { storedEntries: StoredEntries }): Step<
  'caller' | 'entry' | 'deadline' | 'responseHeaders'
> => ({
  before: async ({ event }) => {
    const time = now();
    const window = windowAt(time, windowSeconds);
    const uid = { name: 'UID', item: 'uid', quota: uidQuota, key: `uid#${event.caller.uid}` };
    const subjects = [
      // A captured request that somebody replays must not use up the quota of its team.
      ...(storedEntries.has(event.entry.entryId) ? [] : [uid]),
      { name: 'IP', item: 'ip', quota: ipQuota, key: `ip#${ipSubject(event.requestContext.identity.sourceIp)}` },
    ];
    // A subject known to be over its quota is rejected without a call, and the other subject loses no weight.
    const known = subjects.flatMap((subject) => {
      const used = weights.usedWhenExceeded(subject.key, window);
      return used === undefined ? [] : [{ ...subject, granted: false, used }];
    });
    const consume = async (subject: (typeof subjects)[number]) => ({
      ...subject,
      ...(await weights.consume(subject.key, window, { weight: 1, quota: subject.quota }, event.deadline)),
    });
    const consumptions = known.length > 0 ? known : await Promise.all(subjects.map(consume));

    const seconds = Math.ceil((window.end - time) / 1000);
    event.responseHeaders['RateLimit-Policy'] = consumptions
      .map(({ item, quota }) => `"${item}";q=${quota};w=${windowSeconds}`)
      .join(', ');
    event.responseHeaders.RateLimit = consumptions
      .map(({ item, quota, used }) => `"${item}";r=${Math.max(0, quota - used)};t=${seconds}`)
      .join(', ');

    const exceeded = consumptions.find(({ granted }) => !granted);
    if (exceeded) {
      const { name: subject, used, quota } = exceeded;
      throw apiError(
        'weightExceeded',
        { subject, used, quota, window: windowSeconds, seconds },
        { retryAfter: seconds },
      );
    }
  },
});
