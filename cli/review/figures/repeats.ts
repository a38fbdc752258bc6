import type { Row } from '../../shell/terminal/format.ts';
import { csvLine } from '../../shell/text/csvLine.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { AnyEngine } from '../../store/duckdb/duckdb.ts';
import { figuresQuery } from './makeFigures.ts';
import { isoTime } from './reviewTeams.ts';

/** The parts that two logs have in common, the strongest first. In SQL, they are numbers from 1 on. */
const SAME = {
  body: 'the same body',
  data: 'the same input and output',
  output: 'the same output',
  text: 'the same text',
  near: 'a similar text',
  template: 'one text with other data',
};
type RepeatKind = keyof typeof SAME;
const repeatKinds = Object.keys(SAME) as RepeatKind[];

/**
 * Returns how similar two texts are, in percent. Two places of 8 bits are equal by chance once in 256.
 * @param places how many of the 128 places of their signatures are equal
 */
const similarity = (places: number) => Math.round((100 * (places / 128 - 1 / 256)) / (255 / 256));

type Relation = 'copy' | 'same time' | 'shared';

/** A row of `repeated.sql`. Kinds count from 1. */
type Repeated = Readonly<Record<'uid' | 'entry_id', string> & Record<'n' | 'signed_at' | 'received_at', number>> &
  Readonly<Record<'own_kind' | 'own_n' | 'other_kind' | 'other_n' | 'places', number | null>> &
  Readonly<{ relation: Relation | null }>;

type Repeat = { readonly kind: RepeatKind; readonly of: Repeated };

/** A log in a group. The first log of a group repeats none. */
type Member = Readonly<{ log: Repeated } & Record<'own' | 'other', Repeat | undefined>>;

/** Logs that repeat each other, directly or through others, in the order of their receipt. */
export type RepeatGroup = readonly Member[];

/** The repeat that counts for a reviewer: of a log of another team before one of its own. */
const strongest = ({ own, other }: Member) => other ?? own;

/** Returns how similar a log is to what it repeats: all of it, unless it is only nearly the same. */
function similarityPercent(member: Member): number {
  const { places } = member.log;
  return strongest(member)?.kind !== 'near' || places === null ? 100 : similarity(places);
}

/**
 * A repeat, as a row of `related.sql`. `earlier`: by how many milliseconds earlier the other log was signed, if it is
 * the team's own, or else received. `places`: the equal places of nearly the same texts.
 */
export type Related = Readonly<Record<'kind' | 'earlier', number>> &
  Readonly<{ relation: Relation | 'follows' | 'own'; places: number | null }>;

/**
 * Says what a log repeats, by a row of `related.sql`: `the same output, received 2 h 21 min earlier from 3006`.
 * @param owner the team of the other log
 */
export function sayRelated({ kind, places, earlier, relation }: Related, owner: string): string {
  const name = repeatKinds[kind - 1] as RepeatKind;
  const what = name === 'near' && places !== null ? `${SAME.near} (${similarity(places)} %)` : SAME[name];
  if (relation === 'same time') return `${what}, received at the same time from ${owner}`;
  if (relation === 'shared') return `${what}, shared with ${owner}`;
  if (relation === 'own') return `${what}, first sent ${formatDuration(earlier)} earlier by itself`;
  return `${what}, received ${formatDuration(earlier)} earlier from ${owner}`;
}

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
  const memberOf = (log: Repeated): Member => {
    return { log, own: repeatOf(log.own_kind, log.own_n), other: repeatOf(log.other_kind, log.other_n) };
  };
  const groups = Map.groupBy(logs.values(), ({ n }) => headOf(n));
  return [...groups.values()].sort((a, b) => b.length - a.length).map((members) => members.map(memberOf));
}

const describeForeign = ({ log, other }: Member, relation: Relation) =>
  other && log.relation === relation ? { kind: other.kind, uid: other.of.uid, entryId: other.of.entry_id } : null;

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
    repeatsOther: describeForeign(member, 'copy'),
    sameTimeAs: describeForeign(member, 'same time'),
    sharedWith: describeForeign(member, 'shared'),
  })),
});

export const titleOf = (group: RepeatGroup, number: number): string =>
  `Group ${number}: ${counted(group.length, 'log')} of UID ${uidsOf(group).join(', ')}`;

/**
 * Returns a row for each team and each whose logs it repeats, with counts by kind. Logs of the same time, and those
 * that several teams share, have rows of their own: nobody can say who repeats whom.
 */
export function pairRows(groups: readonly RepeatGroup[]): Row[] {
  const pairs = new Map<string, { uid: string; of: string; logs: number } & Record<RepeatKind, number>>();
  const none = Object.fromEntries(repeatKinds.map((kind) => [kind, 0])) as Record<RepeatKind, number>;
  for (const { log, own, other } of groups.flat()) {
    for (const repeat of [own, other]) {
      if (!repeat) continue;
      const owner = repeat.of.uid === log.uid ? 'itself' : repeat.of.uid;
      const how = log.relation === 'shared' ? 'as others do' : 'at the same time';
      const of = repeat === own || log.relation === 'copy' ? owner : `${owner}, ${how}`;
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
  const { log, other } = member;
  const { kind, of } = repeat;
  const earlier = other ? log.received_at - of.received_at : log.signed_at - of.signed_at;
  const relation = other ? (log.relation as Relation) : 'own';
  return sayRelated({ kind: repeatKinds.indexOf(kind) + 1, places: log.places, earlier, relation }, of.uid);
}

export const memberRows = (group: RepeatGroup, limit: number): Row[] =>
  group.slice(0, limit).map((member) => ({
    uid: member.log.uid,
    entry: member.log.entry_id,
    received: formatTime(member.log.received_at),
    'what it repeats': explain(member),
  }));

export function* formatGroups(groups: readonly RepeatGroup[]): Generator<string> {
  const own = ['group', 'uid', 'entryId', 'signed', 'received', 'similarityPercent', 'ownKind', 'ownEntryId'];
  const others = ['other', 'sameTime', 'shared'].flatMap((name) => [`${name}Kind`, `${name}Uid`, `${name}EntryId`]);
  yield csvLine([...own, ...others]);
  for (const [index, group] of groups.entries()) {
    for (const { repeatsOwn, repeatsOther, sameTimeAs, sharedWith, ...member } of describeGroup(group).members) {
      const all = [repeatsOther, sameTimeAs, sharedWith];
      const foreign = all.flatMap((repeat) => [repeat?.kind, repeat?.uid, repeat?.entryId]);
      const { uid, entryId, signed, received, similarityPercent } = member;
      const log = [index + 1, uid, entryId, signed ?? '', received ?? '', similarityPercent];
      yield csvLine([...log, repeatsOwn?.kind, repeatsOwn?.entryId, ...foreign]);
    }
  }
}
