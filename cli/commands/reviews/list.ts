import { timeOf, type VerdictRecord } from '../../review/verdicts/record.ts';
import { readStandings } from '../../review/verdicts/standing.ts';
import { uids } from '../../shell/terminal/arguments.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import type { Row } from '../../shell/terminal/format.ts';
import { csvLines } from '../../shell/terminal/printCsv.ts';
import { formatTime } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { onTarget } from '../../store/targets/target.ts';

/** Returns a record with its time and the name of its author. DynamoDB does not keep the order of attributes. */
function describe(record: VerdictRecord, by: string) {
  const { uid, verdict, reason, text, read, entries, sample, evidence, period, arn, author, id } = record;
  const at = new Date(timeOf(record)).toISOString();
  const said = { uid, at, verdict, reason, text, read, entries, sample, evidence, period };
  return { ...said, by, arn, author, id, withdraws: record.withdraws, after: record.after };
}

type Described = ReturnType<typeof describe>;

const rowOf = ({ uid, at, verdict, reason, by, text, read }: Described): Row => {
  const said = read ? `${text} Read: ${read}` : text;
  return { uid, verdict, reason, by, "written (author's clock)": formatTime(Date.parse(at)), text: said };
};

const wholeRow = ({ uid, at, verdict, reason, text, read, sample, evidence, period, ...record }: Described): Row => ({
  ...{ uid, at, verdict, reason, text, read, entries: record.entries?.join(' ') },
  sampleSeed: sample?.seed,
  sampleSize: sample?.size,
  sampleFailures: sample?.failures,
  evidence: evidence?.file,
  evidenceSha256: evidence?.sha256,
  periodFrom: period?.from,
  periodUntil: period?.until,
  ...{ by: record.by, arn: record.arn, author: record.author, id: record.id, withdraws: record.withdraws },
  after: record.after?.join(' '),
});

export default defineCommand({
  words: 'reviews list',
  for: 'Reviewers',
  summary: 'Show the verdict of each reviewer about each team.',
  details: `The verdicts of others about a team are shown after you have given yours, or when two people have agreed to
disqualify it.`,
  examples: [
    ['reviews list', 'all teams with a verdict'],
    ['reviews list --uid 1001 --json', 'one team, as JSON'],
    ['reviews list --all --reveal --csv > reviews.csv', 'every record with all its fields, for the archive'],
  ],
  options: {
    wanted: { flags: '--uid <uid>', help: 'show only this team (repeatable)', read: uids },
    all: { flags: '--all', help: 'show every record, oldest first, also earlier and withdrawn ones' },
    reveal: { flags: '--reveal', help: 'show the verdicts of others in any case' },
  },
  on: onTarget,
  forms: ['wide', 'csv'],
  async run({ wanted, all, reveal }, { target, terminal, remark }) {
    const { of, records, leftOut, nameOf } = await readStandings(terminal, target, reveal);
    const described = (record: VerdictRecord) => describe(record, nameOf(record));
    const isWanted = ({ uid }: { readonly uid: string }) => wanted?.includes(uid) ?? true;
    const teams = [...of]
      .map(([uid, standing]) => ({ uid, ...standing }))
      .filter((team) => isWanted(team) && team.verdicts.length + team.hidden > 0)
      .sort(byUid);
    const hidden = all ? leftOut.filter(isWanted).length : teams.reduce((sum, team) => sum + team.hidden, 0);
    if (hidden > 0) {
      remark(`Not shown, because they are about teams that you have not judged: ${hidden}. --reveal shows all.`);
    }
    if (all) return { records: records.filter(isWanted).map(described), hidden };
    const ofTeams = teams.map(({ uid, isAgreed, agreement, verdicts, ...team }) => ({
      ...{ uid, agreed: isAgreed, hidden: team.hidden, verdicts: verdicts.map(described) },
      ...(agreement?.withdrew.length && { takenBack: agreement.withdrew.map(described) }),
    }));
    return { teams: ofTeams, records: ofTeams.flatMap(({ verdicts }) => verdicts), hidden };
  },
  json: ({ teams, records }) => teams ?? records,
  csv: ({ records }, { all }) => csvLines(records.map(all ? wholeRow : rowOf)),
  *shows({ records, hidden }) {
    if (records.length > 0) yield { table: records.map(rowOf), wraps: true };
    else if (hidden === 0) yield { note: 'There are no verdicts.' };
  },
});
