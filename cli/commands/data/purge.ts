import { existsSync, rmSync } from 'node:fs';
import { openStore } from '../../review/rows/rowStore.ts';
import { lock } from '../../shell/files/lock.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('purge', {
    summary: 'Delete all rows and texts of a target from this machine. The table stays as it is.',
    examples: [['data purge --stack AiLogUpload-prod', 'after the review, or on a machine that must keep nothing']],
  }).action(async ({ json, ...where }) =>
    withTarget(terminal, where, async (target) => {
      const store = openStore(target);
      if (!existsSync(store.folder)) {
        if (json) return terminal.json({ deleted: null });
        return terminal.note(`There are no rows of ${target.name} on this machine.`);
      }
      const unlock = await lock(store.lock, 0, { doing: 'reading new entries', is: 'a sync' });
      try {
        rmSync(store.folder, { recursive: true, force: true });
      } finally {
        unlock();
      }
      if (json) return terminal.json({ deleted: store.folder });
      terminal.note(`Deleted: ${store.folder}.`);
    }),
  );
