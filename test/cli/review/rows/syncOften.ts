/**
 * `data sync` as a program of its own that stores so many rows in a part, its first argument, for a test that kills it.
 */
import sync from '../../../../cli/commands/data/sync.ts';
import { group, lazyCommand, runProcess } from '../../../../cli/shell/terminal/program.ts';

const [partRows] = process.argv.splice(2, 1);
await runProcess({
  version: '0',
  ...group('ailog', '', [
    group('data', '', [
      lazyCommand('sync', '', async () => ({ default: (terminal) => sync(terminal, Number(partRows)) })),
    ]),
  ]),
});
