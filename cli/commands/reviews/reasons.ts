import { resolve } from 'node:path';
import { setReasonCodes } from '../../review/verdicts/giveVerdict.ts';
import { reviewsTable } from '../../review/verdicts/reviewsTable.ts';
import { readCsvLines } from '../../shell/files/csv.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { findTextProblem } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** Reads a list of reason codes. @throws Failure that names its first problem */
function readCodes(terminal: Terminal, path: string) {
  const columns = ['code', 'text'] as const;
  const { lines, problems } = readCsvLines(terminal, path, { columns, required: columns });
  const codes = lines.map(({ cells: { code = '', text = '' } }) => ({ code, text }));
  for (const [place, { code, text }] of codes.entries()) {
    const problem =
      (code === '' ? 'the code is empty' : undefined) ??
      (codes.findIndex((one) => one.code === code) < place ? `the code ${code} is there twice` : undefined) ??
      findTextProblem('code', code) ??
      findTextProblem('reason', text);
    if (problem) problems.set(lines[place]?.line as number, problem);
  }
  const [first] = problems;
  if (first) throw new Failure('usage', `Line ${first[0]} of ${path}: ${first[1]}. Nothing was changed.`);
  return codes;
}

export default (terminal: Terminal) =>
  targetCommand('reasons', {
    summary:
      'Show the reason codes of verdicts, or replace them. Without a list of their own, they are the reasons to look.',
    examples: [
      ['reviews reasons', 'the codes of this competition'],
      ['reviews reasons --file codes.csv', 'replace them: the columns code and text'],
    ],
  })
    .option('--file <file>', 'replace the codes by those of a CSV file')
    .action(async ({ file, json, ...where }) => {
      const codes = file === undefined ? undefined : readCodes(terminal, resolve(terminal.cwd(), file));
      await withTarget(terminal, where, async (target) => {
        if (codes) await setReasonCodes(target, codes);
        const shown = codes ?? (await reviewsTable(target).read()).codes;
        await (json ? terminal.json(shown) : terminal.table([...shown], { wraps: true }));
      });
    });
