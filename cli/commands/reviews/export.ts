import { timeOf } from '../../review/verdicts/record.ts';
import { noteHidden, readStandings } from '../../review/verdicts/standing.ts';
import { printCsv } from '../../shell/files/csv.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('export', {
    summary:
      'Print every record of verdicts with all its fields, oldest first, also earlier and withdrawn ones, as CSV.',
    examples: [
      ['reviews export --reveal > reviews.csv', 'all records, for the archive'],
      ['reviews export --reveal --json', 'the same, as JSON'],
    ],
  })
    .option('--reveal', 'export also the verdicts of others about teams that you have not judged')
    .action(async ({ reveal, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const { records, leftOut } = await readStandings(terminal, target, reveal);
        const rows = records.map((record) => ({ ...record, at: new Date(timeOf(record)).toISOString() }));
        if (json) await terminal.json(rows);
        else
          await printCsv(
            terminal,
            rows.map(
              ({ uid, at, verdict, reason, text, entries, sample, evidence, period, arn, author, id, withdraws }) => ({
                ...{ uid, at, verdict, reason, text, entries: entries?.join(' ') },
                ...{ sampleSeed: sample?.seed, sampleSize: sample?.size, sampleFailures: sample?.failures },
                ...{ evidence: evidence?.file, evidenceSha256: evidence?.sha256 },
                ...{ periodFrom: period?.from, periodUntil: period?.until, arn, author, id, withdraws },
              }),
            ),
          );
        if (rows.length === 0) terminal.note('There are no verdicts to export.');
        noteHidden(terminal, leftOut);
      }),
    );
