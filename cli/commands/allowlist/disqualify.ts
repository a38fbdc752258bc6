import { agreedReason } from '../../review/verdicts/giveVerdict.ts';
import { uids } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { changeEntries, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('disqualify', {
    summary: 'Reject the uploads of UIDs permanently. Their entries are kept.',
    examples: [
      ['allowlist disqualify 1001 --reason "no AI behind its orders"', 'disqualify one team, after confirmation'],
      ['allowlist disqualify 1001 --reviewed', 'two reviewers have said so: their verdicts are the reason'],
    ],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--reason <text>', 'the reason', textOption('reason'))
    .option('--reviewed', 'instead of a reason: only if two reviewers agree')
    .option('-y, --yes', 'do not ask')
    .action(async (wanted, { reason: given, reviewed, yes, json, ...where }) => {
      const [first, ...others] = wanted;
      if ((given === undefined) === (reviewed === undefined)) {
        throw new Failure('usage', 'Give either --reason TEXT or --reviewed.');
      }
      if (reviewed && others.length > 0) throw new Failure('usage', 'Give one UID with --reviewed.');
      await withTarget(terminal, where, async (target) => {
        const entries = await requireListed(target, wanted);
        const reason = given ?? (await agreedReason(target, first as string));
        await terminal.confirm(`Disqualify UID ${wanted.join(', ')} in ${target.name}?`, yes);
        await changeEntries(terminal, target, entries, { status: 'disqualified', reason }, { why: reason, json });
        terminal.note('Entries are kept. They can still be shown, verified and exported.');
      });
    });
