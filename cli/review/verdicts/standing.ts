import type { Terminal } from '../../shell/terminal/terminal.ts';
import type { Caller } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import type { VerdictRecord } from './record.ts';
import { reviewsTable } from './reviewsTable.ts';

/**
 * Returns the person behind an identity, as far as AWS tells people apart. Anyone who assumes a role chooses the name
 * of the session, so a role is one person; but IAM Identity Center sets it. docs/decisions/two-reviewers.md
 */
export function personOf({ id, arn }: Caller): string {
  const [principal = '', session = ''] = id.split(':');
  if (principal === 'local') return id;
  return /:assumed-role\/AWSReservedSSO_/.test(arn) ? `sso:${session.toLowerCase()}` : principal;
}

const authorOf = ({ author, arn }: VerdictRecord) => personOf({ id: author, arn });

/**
 * Returns what stands of the records about one team: the newest verdict of each person, and whether two people say that
 * the team is to be disqualified. A verdict can be withdrawn by its author, until another person says the same.
 * @param records oldest first, and so is what is returned
 */
export function standingOf(records: readonly VerdictRecord[]) {
  const standing = new Map<string, VerdictRecord>();
  for (const record of records) {
    const author = authorOf(record);
    const before = standing.get(author);
    if (record.verdict !== 'withdrawn') {
      standing.delete(author);
      standing.set(author, record);
    } else if (before?.id === record.withdraws && before !== undefined && !isConfirmed([...standing.values()], before))
      standing.delete(author);
  }
  const verdicts: readonly VerdictRecord[] = [...standing.values()];
  return { verdicts, isAgreed: verdicts.filter(({ verdict }) => verdict === 'disqualify').length >= 2 };
}

export const isConfirmed = (standing: readonly VerdictRecord[], one: VerdictRecord): boolean =>
  standing.some((other) => other !== one && other.verdict === one.verdict);

/** What stands about a team, as far as a reviewer may see it. */
export interface ShownStanding extends Readonly<ReturnType<typeof standingOf>> {
  readonly own: VerdictRecord | undefined;
  /** False if the verdicts of others are left out. */
  readonly isShown: boolean;
  readonly hidden: number;
}

/**
 * Returns what stands about each team. A reviewer sees the verdicts of others after giving one, or when two people have
 * agreed.
 * @param all `--reveal`: show all
 */
export function shownStandings(
  records: readonly VerdictRecord[],
  caller: Caller,
  all = false,
): ReadonlyMap<string, ShownStanding> {
  const me = personOf(caller);
  return new Map(
    [...Map.groupBy(records, ({ uid }) => uid)].map(([uid, ofTeam]) => {
      const { verdicts, isAgreed } = standingOf(ofTeam);
      const own = verdicts.find((record) => authorOf(record) === me);
      const isShown = all || isAgreed || own !== undefined;
      return [
        uid,
        { own, isAgreed, isShown, ...(isShown ? { verdicts, hidden: 0 } : { verdicts: [], hidden: verdicts.length }) },
      ];
    }),
  );
}

/** Returns what stands in a few words, such as `explained 1, ask-team 1` or `1 not shown`; undefined if nothing. */
export function formatStanding({ verdicts = [], hidden = 0 }: Partial<ShownStanding> = {}): string | undefined {
  const counts = [...Map.groupBy(verdicts, ({ verdict }) => verdict)].map(([name, of]) => `${name} ${of.length}`);
  return [...counts, ...(hidden > 0 ? [`${hidden} not shown`] : [])].join(', ') || undefined;
}

/**
 * Reads what stands about each team, as far as the caller may see it.
 * @returns `records`: those of the teams whose verdicts are shown, oldest first; `leftOut`: the number of the others
 */
export async function readStandings(terminal: Terminal, target: Target, reveal = false) {
  const { records, codes, damaged } = await reviewsTable(target).read();
  const caller = await target.caller();
  if (damaged > 0)
    terminal.note(`Changed after they were written, so they do not count: ${damaged} records of verdicts.`);
  const of = shownStandings(records, caller, reveal);
  const shown = records.filter(({ uid }) => of.get(uid)?.isShown);
  return { of, codes, records: shown, leftOut: records.length - shown.length };
}

/** Reads what stands about each team; nothing, with a note, if the table does not exist yet or may not be read. */
export async function readStandingsIfAllowed(terminal: Terminal, target: Target) {
  try {
    return (await readStandings(terminal, target)).of;
  } catch (error) {
    const { name } = error as Error;
    if (!/^(AccessDenied|ResourceNotFound)/.test(name)) throw error;
    terminal.note(`Without the verdicts of reviewers: the table Reviews cannot be read (${name}).`);
    return new Map<string, ShownStanding>();
  }
}

export function noteHidden(terminal: Terminal, hidden: number): void {
  if (hidden === 0) return;
  terminal.note(`Not shown, because they are about teams that you have not judged: ${hidden}. --reveal shows all.`);
}
