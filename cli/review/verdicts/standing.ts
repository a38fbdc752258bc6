import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import type { Caller } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { type People, peopleOf } from './people.ts';
import type { VerdictRecord } from './record.ts';
import { reviewsTable, type SetAside } from './reviewsTable.ts';

/** A record that says "disqualify", and the later one by which its author took that back, if any. */
type Claim = Readonly<{ by: string; record: VerdictRecord }> & { back?: VerdictRecord };

/** Returns true if one record was there when the other was written, as its author's program says. */
const isBefore = (one: VerdictRecord, other: VerdictRecord): boolean => other.after.includes(one.id);

/** Returns true if neither of two people had taken back "disqualify" when the other said it. */
const agree = (one: Claim, other: Claim): boolean =>
  !(one.back && isBefore(one.back, other.record)) && !(other.back && isBefore(other.back, one.record));

/**
 * Joins the claims of people that agree, also by way of others. It never compares two claims of one person, who can
 * write thousands.
 */
function joinClaims(claims: readonly Claim[]): readonly (readonly Claim[])[] {
  const left = Map.groupBy(claims, ({ by }) => by);
  const joined = new Set<Claim>();
  const groups: Claim[][] = [];
  for (const claim of claims) {
    if (joined.has(claim)) continue;
    const group = [claim];
    joined.add(claim);
    for (const one of group) {
      for (const [by, others] of left) {
        if (by === one.by) continue;
        const { in: found = [], out = [] } = Object.groupBy(others, (other) => (agree(one, other) ? 'in' : 'out'));
        for (const other of found.filter((other) => !joined.has(other))) group.push(other);
        for (const other of found) joined.add(other);
        left.set(by, out);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** Returns the agreement of people who disqualify a team; undefined if there is none, or two of them took it back. */
function agreementOf(group: readonly Claim[]) {
  const oldestFirst = (one: Claim, other: Claim) => (one.record.id < other.record.id ? -1 : 1);
  const people = [...Map.groupBy(group.toSorted(oldestFirst), ({ by }) => by).values()]
    .map((claims) => claims.findLast(({ back }) => back === undefined) ?? (claims[0] as Claim))
    .sort(oldestFirst);
  const left = people.filter(({ back }) => back === undefined);
  const withdrew = people.flatMap(({ back }) => back ?? []);
  if (people.length < 2 || (left.length < 2 && withdrew.length >= 2)) return undefined;
  return { said: [...left, ...people.filter(({ back }) => back)].map(({ record }) => record), withdrew };
}

/**
 * Returns what stands of the records about one team: the newest verdict of each person that was not withdrawn, and the
 * agreement of two people to disqualify the team, which ends only when two of them take it back:
 * docs/decisions.md#two-reviewers.
 * @param records oldest first by the clocks of their authors, and so is what is returned
 */
export function standingOf(records: readonly VerdictRecord[], { personOf }: People) {
  const standing = new Map<string, VerdictRecord>();
  const claims: Claim[] = [];
  const open = new Map<string, Claim[]>();
  for (const record of records) {
    const by = personOf(record.author);
    if (record.verdict === 'withdrawn' && record.withdraws !== standing.get(by)?.id) continue;
    standing.delete(by);
    if (record.verdict !== 'withdrawn') standing.set(by, record);
    const ofPerson = open.get(by) ?? [];
    if (record.verdict === 'disqualify') {
      const claim = { by, record };
      claims.push(claim);
      ofPerson.push(claim);
      open.set(by, ofPerson);
    } else {
      for (const claim of ofPerson) claim.back = record;
      open.delete(by);
    }
  }
  const agreement = joinClaims(claims).map(agreementOf).find(Boolean);
  return { verdicts: [...standing.values()] as readonly VerdictRecord[], agreement, isAgreed: agreement !== undefined };
}

/** The records that stand about a team, as far as a reviewer may see them. `isShown`: others' are not left out. */
type ShownStanding = ReturnType<typeof standingOf> &
  Readonly<{ own: VerdictRecord | undefined; isShown: boolean; hidden: number }>;

/**
 * Returns what stands about each team. A reviewer sees the verdicts of others after giving one, or when two have
 * agreed. @param all `--reveal`: show all
 */
export function shownStandings(
  records: readonly VerdictRecord[],
  caller: Caller,
  people: People,
  all = false,
): ReadonlyMap<string, ShownStanding> {
  const me = people.personOf(caller.id);
  return new Map(
    [...Map.groupBy(records, ({ uid }) => uid)].map(([uid, ofTeam]) => {
      const { verdicts, ...agreed } = standingOf(ofTeam, people);
      const own = verdicts.find(({ author }) => people.personOf(author) === me);
      const isShown = all || agreed.isAgreed || own !== undefined;
      const shown = isShown ? { verdicts, hidden: 0 } : { verdicts: [], hidden: verdicts.length };
      return [uid, { own, ...agreed, isShown, ...shown }];
    }),
  );
}

/** Returns what stands in a few words, such as `explained 1, ask-team 1` or `1 not shown`; undefined if nothing. */
export function formatStanding({ verdicts = [], hidden = 0, agreement }: Partial<ShownStanding> = {}) {
  const counts = [...Map.groupBy(verdicts, ({ verdict }) => verdict)].map(([name, of]) => `${name} ${of.length}`);
  const withdrew = agreement?.withdrew.length ? ['agreed before'] : [];
  return [...counts, ...withdrew, ...(hidden > 0 ? [`${hidden} not shown`] : [])].join(', ') || undefined;
}

type Noting = Pick<Surroundings, 'note'>;

/** The items that are named one by one. Anyone who may write verdicts could write thousands that are none. */
const NAMED = 10;

/** Names what was set aside: first what a record names that counts, which somebody has replaced. */
function noteSetAside({ note }: Noting, setAside: readonly SetAside[], records: readonly VerdictRecord[]): void {
  const read = new Set(records.flatMap(({ after }) => after));
  const replacedFirst = setAside.toSorted((one, other) => Number(read.has(other.id)) - Number(read.has(one.id)));
  for (const { author, id, why } of replacedFirst.slice(0, NAMED)) {
    note(`Set aside, so it does not count: the record ${id} of ${author}, because ${why}.`);
  }
  if (setAside.length > NAMED) note(`Further records that are set aside: ${setAside.length - NAMED}.`);
}

/**
 * Reads what stands about each team, as far as the caller may see it, with the records that are shown, and those
 * `leftOut`.
 */
export async function readStandings(
  terminal: Noting,
  target: Pick<Target, 'db' | 'tables' | 'caller' | 'deployed'>,
  reveal = false,
) {
  const { records, setAside } = await reviewsTable(target).read();
  noteSetAside(terminal, setAside, records);
  const people = peopleOf(target);
  const of = shownStandings(records, await target.caller(), people, reveal);
  const { shown = [], leftOut = [] } = Object.groupBy(records, ({ uid }) =>
    of.get(uid)?.isShown ? 'shown' : 'leftOut',
  );
  return { of, nameOf: people.nameOf, records: shown, leftOut };
}

/** Reads what stands about each team; nothing, with a note, if the table does not exist yet or may not be read. */
export async function readStandingsIfAllowed(terminal: Surroundings, target: Target) {
  try {
    return (await readStandings(terminal, target)).of;
  } catch (error) {
    const { name } = error as Error;
    if (!/^(AccessDenied|ResourceNotFound)/.test(name)) throw error;
    terminal.note(`Without the verdicts of reviewers: the table Reviews cannot be read (${name}).`);
    return new Map<string, ShownStanding>();
  }
}
