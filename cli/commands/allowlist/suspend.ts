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
  words: 'allowlist suspend',
  for: 'Admins',
  summary: 'Reject the uploads of UIDs until they are added again.',
  examples: [['allowlist suspend 1001 --reason "key leaked"', 'reject its uploads from the next request']],
  args: { owners: { name: '<uid...>', help: 'UIDs of teams', read: uids } },
  options: { reason: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') }, lift: LIFT },
  on: onTarget,
  forms: ['wide'],
  async run({ owners, reason, lift }, { target }) {
    const entries = await requireListed(target, owners);
    const fields = { status: 'suspended', ...(reason && { reason }) } as const;
    return planChange(target, entries, fields, { why: reason, questions: askLift(target, entries, lift) });
  },
  json: (changes) => describeWritten(changes),
  plans: (plan) => showPlan(plan),
  shows: (changes) => showChanges(changes),
});
