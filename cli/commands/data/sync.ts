import { syncRows } from '../../review/rows/syncRows.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** @param partRows see `collectRows` */
export default (terminal: Terminal, partRows?: number) =>
  targetCommand('sync', {
    summary: `Read the entries that are new, and keep a feature row and the searchable text of each.
The report, and searches and filters of logs, do this first. An interrupted sync continues where it was.`,
    examples: [
      ['data sync', 'read what is new'],
      ['data sync --whole', 'read the whole table, and find entries that were changed or are gone'],
    ],
  })
    .option('--whole', 'read the whole table, and compare each entry with its row')
    .action(async ({ json, whole = false, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const { added, manifest } = await syncRows(terminal, target, { whole, partRows });
        const { problems, missing, until } = manifest;
        if (problems.length > 0) terminal.reportNegative();
        if (json) await terminal.json({ added, missing, until: new Date(until).toISOString(), problems });
      }),
    );
