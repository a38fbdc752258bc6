/**
 * `logs export` as a program of its own that keeps its state after so many bytes, its first argument, for a test that
 * kills it.
 */
import exportEntries from '../../../../cli/commands/logs/export.ts';
import { group, lazyCommand, runProcess } from '../../../../cli/shell/terminal/program.ts';

const [bytes] = process.argv.splice(2, 1);
const keepAfter = { bytes: Number(bytes), ms: Number.POSITIVE_INFINITY };
await runProcess({
  version: '0',
  ...group('ailog', '', [
    group('logs', '', [
      lazyCommand('export', '', async () => ({ default: (terminal) => exportEntries(terminal, keepAfter) })),
    ]),
  ]),
});
