import { resolve } from 'node:path';
import { type CsvLine, readCsvLines } from '../../shell/files/csv.ts';
import { defineChange, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { counted, nameSome } from '../../shell/text/numbers.ts';
import { isUid } from '../../shell/text/uid.ts';
import { readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { type Change, hasStatus, keptFields, writeChanges } from '../../store/tables/changeAllowlist.ts';
import { LIST_NAMES } from '../../store/tables/teamLists.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import { onTarget } from '../../store/targets/target.ts';

const COLUMNS = ['uid', 'team', 'note'] as const;
type Line = CsvLine<(typeof COLUMNS)[number]>;

function findProblems(lines: readonly Line[]): Map<number, string> {
  const seen = new Map<string, number>();
  const problems = new Map<number, string>();
  for (const { line, cells } of lines) {
    const { uid = '', team = '', note = '' } = cells;
    const first = seen.get(uid);
    const found = [
      isUid(uid) ? undefined : `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`,
      first === undefined ? undefined : `UID ${uid} is already on line ${first}`,
      findTextProblem('team', team),
      findTextProblem('note', note),
    ].filter((problem) => problem !== undefined);
    if (found.length > 0) problems.set(line, found.join('; '));
    else seen.set(uid, line);
  }
  return problems;
}

/** Plans the change of a line. Suspended and disqualified UIDs stay so: an import must not lift that by accident. */
function plan({ cells }: Line, before: Change['before']): Change & { change: string } {
  const { uid = '', team, note } = cells;
  const why = note || undefined;
  if (before && (hasStatus(before, 'suspended') || hasStatus(before, 'disqualified'))) {
    return { uid, before, after: before, why, change: `stays ${before.status}` };
  }
  const named = { ...(team && { team }), ...(note && { note }) };
  const after = { ...keptFields(before), uid, status: 'approved' as const, ...named };
  if (before?.status !== 'approved') return { uid, before, after, why, change: 'add' };
  if (before.team === after.team && before.note === after.note) {
    return { uid, before, after: before, why, change: 'none' };
  }
  return { uid, before, after, why, change: 'update' };
}

/**
 * Reads the valid lines, and notes others. @throws Failure unless they are skipped, or if a column may be a team unread
 */
function readLines(terminal: Surroundings, file: string, skipInvalid: boolean): Line[] {
  const columns = { names: LIST_NAMES, columns: COLUMNS, required: ['uid'] } as const;
  const { lines, problems: malformed, found, others } = readCsvLines(terminal, resolve(terminal.cwd(), file), columns);
  if (others.length > 0 && !found.includes('team')) {
    throw new Failure('usage', `${file} has no column team, and others that may have the names of teams.`, {
      advice: `Call one of them team, or remove them: ${nameSome(others, 5)}.`,
    });
  }
  const problems = new Map([...malformed, ...findProblems(lines)].sort(([a], [b]) => a - b));
  for (const [line, problem] of problems) terminal.note(`Line ${line}: ${problem}.`);
  if (problems.size > 0 && !skipInvalid) {
    throw new Failure('usage', `${file} has invalid lines: ${problems.size}. Nothing was written.`, {
      advice: 'Correct them, or skip them: --skip-invalid.',
    });
  }
  return lines.filter(({ line }) => !problems.has(line));
}

export default defineChange({
  words: 'allowlist import',
  for: 'Admins',
  summary: 'Approve the UIDs of a CSV file with the columns uid, team, note.',
  details: 'Shows the changes and asks first.',
  examples: [
    ['allowlist import teams.csv --dry-run', 'show the changes, write nothing'],
    ['allowlist import teams.csv', 'show the changes, ask, write them'],
    ['allowlist import teams.csv --skip-invalid --yes', 'write the valid lines without asking'],
  ],
  args: {
    file: {
      name: '<file>',
      help: 'CSV in UTF-8, separated by commas, semicolons or tabs; the first line names the columns',
    },
  },
  options: { skipInvalid: { flags: '--skip-invalid', help: 'skip invalid lines instead of rejecting the file' } },
  on: onTarget,
  forms: ['wide'],
  async run({ file, skipInvalid }, { target, terminal, remark }) {
    const lines = readLines(terminal, file, skipInvalid);
    const entries = await readAllowlistEntries(
      target,
      lines.map(({ cells: { uid = '' } }) => uid),
    );
    const planned = lines.map((line, index) => ({ line: line.line, ...plan(line, entries[index]?.entry) }));
    const changes = planned.filter(({ before, after }) => before !== after);
    const rows = planned.map(({ line, uid, change, after: { team, note } }) => ({ line, uid, change, team, note }));
    if (changes.length === 0) remark('Nothing to change.');
    return {
      plan: rows,
      questions: [`Write ${counted(changes.length, 'row')} to ${target.name}?`],
      apply: changes.length === 0 ? undefined : async () => ({ rows, written: await writeChanges(target, changes) }),
    };
  },
  json: ({ rows }) => rows,
  plans: (rows) => [{ table: rows }],
  shows: ({ written }) => [`Written: ${written.length}.`],
});
