/** A sync as a program of its own that stores so many rows in a part, its first argument, for a test that kills it. */
import { syncRows } from '../../../../cli/review/rows/syncRows.ts';
import { defineCommand } from '../../../../cli/shell/terminal/defineCommand.ts';
import { runProcess } from '../../../../cli/shell/terminal/program.ts';
import { onTarget } from '../../../../cli/store/targets/target.ts';

const [partRows] = process.argv.splice(2, 1);
const sync = defineCommand({
  words: 'data sync',
  for: 'Reviewers',
  summary: '',
  examples: [],
  on: onTarget,
  run: (_asked, { target, terminal }) => syncRows(terminal, target, { partRows: Number(partRows) }),
  shows: () => [],
});
await runProcess({
  version: '0',
  summary: '',
  groups: { data: { for: 'Reviewers', summary: '' } },
  commands: { 'data sync': async () => ({ default: sync }) },
});
