import { uids } from '../../shell/terminal/arguments.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import {
  askLift,
  describeWritten,
  LIFT,
  planChange,
  requireListed,
  showChanges,
  showPlan,
} from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineChange({
  words: 'allowlist remove',
  for: 'Admins',
  summary: 'Remove UIDs from the allowlist.',
  details: 'Their entries are kept, and so is the record of who removed them.',
  examples: [['allowlist remove 1001', 'remove one team, after confirmation']],
  args: { owners: { name: '<uid...>', help: 'UIDs of teams', read: uids } },
  options: { reason: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') }, lift: LIFT },
  on: onTarget,
  forms: ['wide'],
  async run({ owners, reason, lift }, { target }) {
    const entries = await requireListed(target, owners);
    const remove = `Remove UID ${owners.join(', ')} from the allowlist of ${target.name}?`;
    const fields = { status: 'removed', ...(reason && { reason }) } as const;
    return planChange(target, entries, fields, {
      why: reason,
      questions: [...askLift(target, entries, lift), remove],
    });
  },
  json: (changes) => describeWritten(changes),
  plans: (plan) => showPlan(plan),
  shows: (changes) => showChanges(changes),
});
