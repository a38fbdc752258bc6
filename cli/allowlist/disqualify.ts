import { readAllowlistEntries } from '../tables/allowlistEntries.ts';
import { changeEntries, requireListed } from '../tables/changeAllowlist.ts';
import { textOption } from '../tables/textLimits.ts';
import { withTarget } from '../target/target.ts';
import { uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

export default (terminal: Terminal) =>
  targetCommand('disqualify', {
    summary: 'Reject the uploads of UIDs permanently. Their entries are kept.',
    examples: [
      ['allowlist disqualify 1001 --reason "no AI behind its orders"', 'disqualify one team, after confirmation'],
    ],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .requiredOption('--reason <text>', 'the reason', textOption('reason'))
    .option('-y, --yes', 'do not ask')
    .action(async (wanted, { reason, yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await readAllowlistEntries(target, wanted);
        requireListed(entries);
        await terminal.confirm(`Disqualify UID ${wanted.join(', ')} in ${target.name}?`, yes);
        await changeEntries(terminal, target, entries, { status: 'disqualified', reason }, { why: reason, json });
        terminal.note('Entries are kept. They can still be shown, verified and exported.');
      }),
    );
