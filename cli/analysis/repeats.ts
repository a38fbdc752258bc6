import { csvLine } from '../files/csv.ts';
import type { Row } from '../terminal/format.ts';
import { counted } from '../text/numbers.ts';
import { formatTime } from '../text/time.ts';
import { type RepeatGroup, type RepeatKind, type RepeatMember, repeatKinds } from './repetition.ts';

/** The repeat of a member that counts for a reviewer: of a log of another team before one of its own. */
const strongest = ({ own, copy, sameTime }: RepeatMember) => copy ?? sameTime ?? own;

const describeForeign = (repeat: RepeatMember['copy']) =>
  repeat ? { kind: repeat.kind, uid: repeat.of.uid, entryId: repeat.of.entryId } : null;

/** Describes a group for `--json`. */
export function describeGroup(group: RepeatGroup) {
  const members = [...group.members()];
  return {
    logs: group.size,
    uids: [...new Set(members.map(({ log }) => log.uid))],
    members: members.map(({ log, own, copy, sameTime, similarity }) => ({
      uid: log.uid,
      entryId: log.entryId,
      signed: new Date(log.signedAt).toISOString(),
      received: new Date(log.receivedAt).toISOString(),
      similarityPercent: Math.round(similarity * 100),
      repeatsOwn: own ? { kind: own.kind, entryId: own.of.entryId } : null,
      repeatsOther: describeForeign(copy),
      sameTimeAs: describeForeign(sameTime),
    })),
  };
}

/** Returns true if a group contains a log of one of the teams. */
export const concerns = (group: RepeatGroup, uids: ReadonlySet<string>): boolean =>
  group.members().some(({ log }) => uids.has(log.uid));

/** Returns a sentence about a group: its size and its teams. */
export function titleOf(group: RepeatGroup, number: number): string {
  const uids = new Set([...group.members()].map(({ log }) => log.uid));
  return `Group ${number}: ${counted(group.size, 'log')} of UID ${[...uids].join(', ')}`;
}

/**
 * Returns a row for each team and team whose logs it repeats, which may be itself: counts of logs by kind. Logs that
 * two teams sent at the same time have rows of their own, one for each team: nobody can say who repeats whom.
 */
export function pairRows(groups: readonly RepeatGroup[]): Row[] {
  const pairs = new Map<string, { uid: string; of: string; logs: number } & Record<RepeatKind, number>>();
  const none = Object.fromEntries(Object.keys(repeatKinds).map((kind) => [kind, 0])) as Record<RepeatKind, number>;
  for (const group of groups) {
    for (const { log, own, copy, sameTime } of group.members()) {
      for (const repeat of [own, copy, sameTime]) {
        if (!repeat) continue;
        const other = repeat.of.uid === log.uid ? 'itself' : repeat.of.uid;
        const of = repeat === sameTime ? `${other}, at the same time` : other;
        const pair = pairs.get(`${log.uid} ${of}`) ?? { uid: log.uid, of, logs: 0, ...none };
        pairs.set(`${log.uid} ${of}`, pair);
        pair.logs += 1;
        pair[repeat.kind] += 1;
      }
    }
  }
  return [...pairs.values()]
    .sort((a, b) => b.logs - a.logs)
    .map(({ uid, of, logs, ...kinds }) => ({ uid, 'repeats logs of': of, logs, ...kinds }));
}

/** Returns the rows of the first members of a group. */
export const memberRows = (group: RepeatGroup, limit: number): Row[] =>
  [...group.members().take(limit)].map((member) => {
    const repeat = strongest(member);
    return {
      uid: member.log.uid,
      entry: member.log.entryId,
      received: formatTime(member.log.receivedAt),
      'same as': repeat
        ? `${member.log.uid === repeat.of.uid ? '' : `UID ${repeat.of.uid} `}${repeat.of.entryId}`
        : '–',
      kind: repeat ? `${repeat.kind}${repeat === member.sameTime ? ', same time' : ''}` : '–',
      similar: `${Math.round(member.similarity * 100)} %`,
    };
  });

const COLUMNS = [
  'group',
  'uid',
  'entryId',
  'signed',
  'received',
  'similarityPercent',
  'ownKind',
  'ownEntryId',
  'otherKind',
  'otherUid',
  'otherEntryId',
  'sameTimeKind',
  'sameTimeUid',
  'sameTimeEntryId',
];

/** Formats groups as CSV, one line per log. */
export function* formatGroups(groups: readonly RepeatGroup[]): Generator<string> {
  yield csvLine(COLUMNS);
  for (const [index, group] of groups.entries()) {
    for (const member of describeGroup(group).members) {
      const { uid, entryId, signed, received, similarityPercent, repeatsOwn, repeatsOther, sameTimeAs } = member;
      const foreign = [repeatsOther, sameTimeAs].flatMap((repeat) => [repeat?.kind, repeat?.uid, repeat?.entryId]);
      yield csvLine([
        ...[index + 1, uid, entryId, signed, received, similarityPercent, repeatsOwn?.kind, repeatsOwn?.entryId],
        ...foreign,
      ]);
    }
  }
}
