import { syncRows } from '../../review/rows/syncRows.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('rebuild', {
    summary: 'Make all rows again from the table. Reports that run meanwhile keep the rows that they opened.',
    examples: [['data rebuild', 'after entries were changed, deleted or restored']],
  }).action(async ({ json, ...where }) =>
    withTarget(terminal, where, async (target) => {
      const { added, manifest } = await syncRows(terminal, target, { rebuild: true });
      if (manifest.problems.length > 0) terminal.reportNegative();
      if (json) await terminal.json({ added, missing: manifest.missing, problems: manifest.problems });
    }),
  );
