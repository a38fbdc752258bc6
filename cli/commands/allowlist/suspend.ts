import { uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { changeEntries, confirmLift, LIFT_OPTION, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('suspend', {
    summary: 'Reject the uploads of UIDs until they are added again.',
    examples: [['allowlist suspend 1001 --reason "key leaked"', 'reject its uploads from the next request']],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--reason <text>', 'the reason', textOption('reason'))
    .option(...LIFT_OPTION)
    .action(async (wanted, { reason, liftDisqualification, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await requireListed(target, wanted);
        await confirmLift(terminal, target, entries, liftDisqualification);
        const fields = { status: 'suspended', ...(reason && { reason }) } as const;
        await changeEntries(terminal, target, entries, fields, { why: reason, json });
      }),
    );
