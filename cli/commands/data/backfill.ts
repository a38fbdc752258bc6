import { requirePublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { fillBucket, findMissingRows } from '../../review/rows/fillBucket.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { requireDeployedRows } from '../../store/targets/openedTarget.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('backfill', {
    summary: 'Make the feature rows that the bucket of a deployment lacks.',
    examples: [
      ['data backfill --stack AiLogUpload-prod', 'compare the rows with the transparency log, and add those missing'],
      ['data backfill --stack AiLogUpload-prod --dry-run', 'only say how many are missing'],
    ],
  })
    .option('--dry-run', 'add nothing')
    .action(({ json, dryRun = false, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const { files: bucket } = await requireDeployedRows(target);
        const log = await requirePublishedLog(target);
        const missing = await findMissingRows(bucket, log);
        const before = missing.size;
        const isNothing = dryRun || before === 0;
        const { added, poisoned } = isNothing
          ? { added: 0, poisoned: [] }
          : await fillBucket(terminal, target, bucket, missing);
        const left = missing.size;
        if (left > 0) terminal.reportNegative();
        if (json) return terminal.json({ size: log.checkpoint.size, missing: before, added, left, poisoned });
        await terminal.print(
          `Entries of the transparency log without a row: ${before}. Rows added: ${added}. Still without: ${left}.`,
        );
        for (const problem of poisoned) terminal.note(problem);
        if (left > poisoned.length && !dryRun) {
          terminal.note('The table does not have the others: they have expired, or were edited or removed.');
        }
      }),
    );
