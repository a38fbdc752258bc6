import { uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { changeEntries, confirmLift, LIFT_OPTION, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('remove', {
    summary: 'Remove UIDs from the allowlist. Their entries are kept, and so is the record of who removed them.',
    examples: [['allowlist remove 1001', 'remove one team, after confirmation']],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--reason <text>', 'the reason', textOption('reason'))
    .option('-y, --yes', 'do not ask')
    .option(...LIFT_OPTION)
    .action(async (wanted, { reason, yes, liftDisqualification, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await requireListed(target, wanted);
        await confirmLift(terminal, target, entries, liftDisqualification);
        await terminal.confirm(`Remove UID ${wanted.join(', ')} from the allowlist of ${target.name}?`, yes);
        const fields = { status: 'removed', ...(reason && { reason }) } as const;
        await changeEntries(terminal, target, entries, fields, { why: reason, json });
      }),
    );
