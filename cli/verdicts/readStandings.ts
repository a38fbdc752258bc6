import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { reviewsTable } from './reviewsTable.ts';
import { type ShownStanding, shownStandings } from './standing.ts';

/**
 * Reads what stands about each team, as far as the caller may see it.
 * @param reveal see `shownStandings`
 * @returns `records`: those of the teams whose verdicts are shown, oldest first; `leftOut`: the number of the others
 */
export async function readStandings(terminal: Terminal, target: Target, reveal = false) {
  const [{ records, codes, damaged }, caller] = [await reviewsTable(target).read(), await target.caller()];
  if (damaged > 0)
    terminal.note(`Changed after they were written, so they do not count: ${damaged} records of verdicts.`);
  const of = shownStandings(records, caller, reveal);
  const shown = records.filter(({ uid }) => of.get(uid)?.isShown);
  return { of, codes, records: shown, leftOut: records.length - shown.length };
}

/** Reads what stands about each team; nothing, with a note, if the table does not exist yet or may not be read. */
export const readStandingsIfAllowed = (
  terminal: Terminal,
  target: Target,
): Promise<ReadonlyMap<string, ShownStanding>> =>
  readStandings(terminal, target).then(
    ({ of }) => of,
    (error: Error) => {
      if (!/^(AccessDenied|ResourceNotFound)/.test(error.name)) throw error;
      terminal.note(`Without the verdicts of reviewers: the table Reviews cannot be read (${error.name}).`);
      return new Map();
    },
  );

/** Notes how many verdicts or records are not shown. */
export function noteHidden(terminal: Terminal, hidden: number): void {
  if (hidden === 0) return;
  terminal.note(`Not shown, because they are about teams that you have not judged: ${hidden}. --reveal shows all.`);
}
