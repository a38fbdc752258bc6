import { uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { changeEntries, confirmLift, hasStatus, LIFT_OPTION, nameBarred } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('add', {
    summary: 'Approve UIDs. They can upload from the next request.',
    examples: [
      ['allowlist add 1001 --team "Alpha"', 'approve one team, with its name'],
      ['allowlist add 1001 1002 1003', 'approve several teams'],
      ['allowlist add 1001 --lift-disqualification --note "appeal won"', 'approve a disqualified team again'],
    ],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--team <name>', 'the name of the team (default: unchanged)', textOption('team'))
    .option('--note <text>', 'a note for other admins (default: unchanged)', textOption('note'))
    .option('-y, --yes', 'approve suspended UIDs again without asking')
    .option(...LIFT_OPTION)
    .action(async (wanted, { team, note, yes, liftDisqualification, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await readAllowlistEntries(target, wanted);
        await confirmLift(terminal, target, entries, liftDisqualification);
        const suspended = entries.filter(({ entry }) => hasStatus(entry, 'suspended'));
        if (suspended.length > 0) {
          await terminal.confirm(`${nameBarred(suspended)}. Approve again in ${target.name}?`, yes);
        }
        const fields = { status: 'approved', ...(team && { team }), ...(note && { note }) } as const;
        await changeEntries(terminal, target, entries, fields, { why: note, json });
      }),
    );
