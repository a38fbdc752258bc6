import { requireOwnLog } from '../../proof/log/ownLog.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import { requireDeployedRows } from '../../store/targets/openedTarget.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineChange({
  words: 'data backfill',
  for: 'Reviewers',
  summary: 'Make the feature rows that the bucket of a deployment lacks.',
  examples: [
    ['data backfill --stack AiLogUpload-prod', 'compare the rows with the transparency log, and add those missing'],
    ['data backfill --stack AiLogUpload-prod --dry-run', 'only say how many are missing'],
  ],
  on: onTarget,
  async run(_asked, { target, terminal, dryRun, remark }) {
    const { fillBucket, findMissingRows } = await import('../../review/rows/fillBucket.ts');
    const { files: bucket } = await requireDeployedRows(target);
    const log = await requireOwnLog(target);
    const left = await findMissingRows(bucket, log);
    const missing = left.size;
    const { size } = log.checkpoint;
    if (dryRun && missing > 0) terminal.reportNegative();
    return {
      plan: { size, missing, added: 0, left: missing, poisoned: [] },
      apply:
        missing === 0
          ? undefined
          : async () => {
              const { added, poisoned } = await fillBucket(terminal, target, bucket, left);
              for (const problem of poisoned) remark(problem);
              if (left.size > 0) terminal.reportNegative();
              if (left.size > poisoned.length) {
                remark('The table does not have the others: they have expired, or were edited or removed.');
              }
              return { size, missing, added, left: left.size, poisoned };
            },
    };
  },
  plans: ({ missing }) => [`Entries of the transparency log without a row: ${missing}.`],
  shows: ({ missing, added, left }) => [
    `Entries of the transparency log without a row: ${missing}. Rows added: ${added}. Still without: ${left}.`,
  ],
});
