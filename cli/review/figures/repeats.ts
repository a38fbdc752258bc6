import type { Row } from '../../shell/terminal/format.ts';
import { csvLine } from '../../shell/text/csvLine.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { AnyEngine } from '../../store/duckdb/duckdb.ts';
import { isoTime, type RepeatKind, repeatKinds } from './figures.ts';
import { figuresQuery } from './makeFigures.ts';

/** What two logs have in common, by kind. */
const SAME: Readonly<Record<RepeatKind, string>> = {
  body: 'the same body',
  data: 'the same input and output',
  output: 'the same output',
  text: 'the same text',
  near: 'a similar text',
  template: 'one text with other data',
};

/**
 * Returns how similar two texts are, in percent. Two places of 8 bits are equal by chance once in 256.
 * @param places how many of the 128 places of their signatures are equal
 */
const similarity = (places: number) => Math.round((100 * (places / 128 - 1 / 256)) / (255 / 256));

/** A row of `repeated.sql`. Kinds count from 1. */
type Repeated = Readonly<Record<'uid' | 'entry_id', string>> &
  Readonly<Record<'n' | 'signed_at' | 'received_at', number>> &
  Readonly<Record<'own_kind' | 'own_n' | 'other_kind' | 'other_n' | 'places', number | null>> & {
    readonly is_copy: boolean | null;
  };

type Repeat = { readonly kind: RepeatKind; readonly of: Repeated };

/** A log in a group. The first log of a group repeats none. */
interface Member {
  readonly log: Repeated;
  readonly own: Repeat | undefined;
  readonly copy: Repeat | undefined;
  readonly sameTime: Repeat | undefined;
}

/** Logs that repeat each other, directly or through others, in the order of their receipt. */
export type RepeatGroup = readonly Member[];

/** The repeat that counts for a reviewer: of a log of another team before one of its own. */
const strongest = ({ own, copy, sameTime }: Member) => copy ?? sameTime ?? own;

/** Returns how similar a log is to what it repeats: all of it, unless it is only nearly the same. */
function similarityPercent(member: Member): number {
  const { places } = member.log;
  return strongest(member)?.kind !== 'near' || places === null ? 100 : similarity(places);
}

/**
 * Says what a log repeats: `the same output, first sent 2 h 21 min earlier by 3006`.
 * @param places the equal ones of nearly the same texts
 * @param earlier how much earlier the other was sent, in milliseconds; undefined: at the same time
 */
function sayRepeat(kind: RepeatKind, places: number | null, earlier: number | undefined, by: string): string {
  const what = kind === 'near' ? `${SAME.near} (${similarity(places ?? 128)} %)` : SAME[kind];
  return earlier === undefined
    ? `${what}, sent at the same time by ${by}`
    : `${what}, first sent ${formatDuration(earlier)} earlier by ${by}`;
}

/** What a row of `related.sql` says of a repeat. */
export type Related = Readonly<Record<'kind' | 'earlier', number>> & {
  readonly relation: string;
  readonly places: number | null;
};

/** Says what a log repeats, by a row of `related.sql`. @param owner the team of the other log */
export const sayRelated = ({ kind, places, earlier, relation }: Related, owner: string): string =>
  sayRepeat(
    repeatKinds[kind - 1] as RepeatKind,
    places,
    relation === 'same time' ? undefined : earlier,
    relation === 'own' ? 'itself' : owner,
  );

/** Reads the groups of logs that repeat each other, the largest first. */
export async function readGroups(engine: AnyEngine): Promise<RepeatGroup[]> {
  await engine.make('repeated', figuresQuery('repeated'));
  const logs = new Map<number, Repeated>();
  for await (const log of engine.read<Repeated>('SELECT * FROM repeated ORDER BY n')) logs.set(log.n, log);
  const heads = new Map<number, number>();
  const headOf = (n: number): number => {
    let head = n;
    for (let next = heads.get(head); next !== undefined; next = heads.get(head)) head = next;
    if (head !== n) heads.set(n, head);
    return head;
  };
  for (const { n, own_n, other_n } of logs.values()) {
    for (const other of [own_n, other_n]) {
      if (other === null) continue;
      const a = headOf(n);
      const b = headOf(other);
      if (a !== b) heads.set(Math.max(a, b), Math.min(a, b));
    }
  }
  const repeatOf = (kind: number | null, n: number | null): Repeat | undefined =>
    n === null ? undefined : { kind: repeatKinds[Number(kind) - 1] as RepeatKind, of: logs.get(n) as Repeated };
  const groups = Map.groupBy(logs.values(), ({ n }) => headOf(n));
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .map((members) =>
      members.map((log) => {
        const other = repeatOf(log.other_kind, log.other_n);
        const [copy, sameTime] = log.is_copy ? [other, undefined] : [undefined, other];
        return { log, own: repeatOf(log.own_kind, log.own_n), copy, sameTime };
      }),
    );
}

const describeForeign = (repeat: Repeat | undefined) =>
  repeat ? { kind: repeat.kind, uid: repeat.of.uid, entryId: repeat.of.entry_id } : null;

const uidsOf = (group: RepeatGroup) => [...new Set(group.map(({ log }) => log.uid))];

export const describeGroup = (group: RepeatGroup) => ({
  logs: group.length,
  uids: uidsOf(group),
  members: group.map((member) => ({
    uid: member.log.uid,
    entryId: member.log.entry_id,
    signed: isoTime(member.log.signed_at),
    received: isoTime(member.log.received_at),
    similarityPercent: similarityPercent(member),
    repeatsOwn: member.own ? { kind: member.own.kind, entryId: member.own.of.entry_id } : null,
    repeatsOther: describeForeign(member.copy),
    sameTimeAs: describeForeign(member.sameTime),
  })),
});

export const titleOf = (group: RepeatGroup, number: number): string =>
  `Group ${number}: ${counted(group.length, 'log')} of UID ${uidsOf(group).join(', ')}`;

/**
 * Returns a row for each team and team whose logs it repeats, which may be itself: counts of logs by kind. Logs that
 * two teams sent at the same time have rows of their own, one for each team: nobody can say who repeats whom.
 */
export function pairRows(groups: readonly RepeatGroup[]): Row[] {
  const pairs = new Map<string, { uid: string; of: string; logs: number } & Record<RepeatKind, number>>();
  const none = Object.fromEntries(repeatKinds.map((kind) => [kind, 0])) as Record<RepeatKind, number>;
  for (const { log, own, copy, sameTime } of groups.flat()) {
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
  return [...pairs.values()]
    .sort((a, b) => b.logs - a.logs)
    .map(({ uid, of, logs, ...kinds }) => ({ uid, 'repeats logs of': of, logs, ...kinds }));
}

function explain(member: Member): string {
  const repeat = strongest(member);
  if (!repeat) return 'first';
  const { log, sameTime } = member;
  const { kind, of } = repeat;
  const isOwn = of.uid === log.uid;
  const earlier = isOwn ? log.signed_at - of.signed_at : log.received_at - of.received_at;
  return sayRepeat(kind, log.places, repeat === sameTime ? undefined : earlier, isOwn ? 'itself' : of.uid);
}

export const memberRows = (group: RepeatGroup, limit: number): Row[] =>
  group.slice(0, limit).map((member) => ({
    uid: member.log.uid,
    entry: member.log.entry_id,
    received: formatTime(member.log.received_at),
    'what it repeats': explain(member),
  }));

/** Formats groups as CSV: a line with the names of the columns, then a line per log. */
export function* formatGroups(groups: readonly RepeatGroup[]): Generator<string> {
  const own = ['group', 'uid', 'entryId', 'signed', 'received', 'similarityPercent', 'ownKind', 'ownEntryId'];
  const others = ['otherKind', 'otherUid', 'otherEntryId', 'sameTimeKind', 'sameTimeUid', 'sameTimeEntryId'];
  yield csvLine([...own, ...others]);
  for (const [index, group] of groups.entries()) {
    for (const { repeatsOwn, repeatsOther, sameTimeAs, ...member } of describeGroup(group).members) {
      const foreign = [repeatsOther, sameTimeAs].flatMap((repeat) => [repeat?.kind, repeat?.uid, repeat?.entryId]);
      const { uid, entryId, signed, received, similarityPercent } = member;
      const log = [index + 1, uid, entryId, signed ?? '', received ?? '', similarityPercent];
      yield csvLine([...log, repeatsOwn?.kind, repeatsOwn?.entryId, ...foreign]);
    }
  }
}
