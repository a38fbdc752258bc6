import { askLift, defineAllowlistChange, LIFT, planChange, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';

export default defineAllowlistChange({
  words: 'allowlist remove',
  summary: 'Remove UIDs from the allowlist.',
  details: 'Their entries are kept, and so is the record of who removed them.',
  examples: [['allowlist remove 1001', 'remove one team, after confirmation']],
  options: { reason: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') }, lift: LIFT },
  async run({ owners, reason, lift }, { target }) {
    const entries = await requireListed(target, owners);
    const remove = `Remove UID ${owners.join(', ')} from the allowlist of ${target.name}?`;
    const fields = { status: 'removed', ...(reason && { reason }) } as const;
    return planChange(target, entries, fields, { why: reason, questions: [...askLift(target, entries, lift), remove] });
  },
});
