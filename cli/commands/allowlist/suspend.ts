import { askLift, defineAllowlistChange, LIFT, planChange, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';

export default defineAllowlistChange({
  words: 'allowlist suspend',
  summary: 'Reject the uploads of UIDs until they are added again.',
  examples: [['allowlist suspend 1001 --reason "key leaked"', 'reject its uploads from the next request']],
  options: { reason: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') }, lift: LIFT },
  async run({ owners, reason, lift }, { target }) {
    const entries = await requireListed(target, owners);
    const fields = { status: 'suspended', ...(reason && { reason }) } as const;
    return planChange(target, entries, fields, { why: reason, questions: askLift(target, entries, lift) });
  },
});
