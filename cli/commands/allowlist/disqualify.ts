import { uids } from '../../shell/terminal/arguments.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import {
  describeWritten,
  planChange,
  requireListed,
  showChanges,
  showPlan,
} from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineChange({
  words: 'allowlist disqualify',
  for: 'Admins',
  summary: 'Reject the uploads of UIDs permanently.',
  details: 'Their entries are kept. They can still be shown, verified and exported.',
  examples: [
    ['allowlist disqualify 1001 --reason "no AI behind its orders"', 'disqualify one team, after confirmation'],
    ['allowlist disqualify 1001 --reviewed', 'two reviewers have said so: their verdicts are the reason'],
  ],
  args: { owners: { name: '<uid...>', help: 'UIDs of teams', read: uids } },
  options: {
    given: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') },
    reviewed: { flags: '--reviewed', help: 'instead of a reason: only if two reviewers agree' },
  },
  on: onTarget,
  forms: ['wide'],
  async run({ owners, given, reviewed }, { target }) {
    if ((given !== undefined) === reviewed) throw new Failure('usage', 'Give either --reason TEXT or --reviewed.');
    const [owner = '', ...others] = owners;
    if (reviewed && others.length > 0) throw new Failure('usage', 'Give one UID with --reviewed.');
    const entries = await requireListed(target, owners);
    const { agreedReason } = await import('../../review/verdicts/giveVerdict.ts');
    const reason = given ?? (await agreedReason(target, owner));
    const questions = [`Disqualify UID ${owners.join(', ')} in ${target.name}?`];
    return planChange(target, entries, { status: 'disqualified', reason }, { why: reason, questions });
  },
  json: (changes) => describeWritten(changes),
  plans: (plan) => showPlan(plan),
  shows: (changes) => showChanges(changes),
});
