/**
 * `data sync` as a program of its own that stores so many rows in a part, its first argument, for a test that kills it.
 */
import sync from '../../../../cli/commands/data/sync.ts';
import { runProcess } from '../../../../cli/shell/terminal/program.ts';

const [partRows] = process.argv.splice(2, 1);
await runProcess({
  version: '0',
  summary: '',
  groups: { data: { for: 'Reviewers', summary: '' } },
  commands: { 'data sync': async () => ({ default: (terminal) => sync(terminal, Number(partRows)) }) },
});
