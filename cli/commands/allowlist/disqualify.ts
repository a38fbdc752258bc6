import { Failure } from '../../shell/terminal/failure.ts';
import { defineAllowlistChange, planChange, requireListed } from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { keepsItsData } from '../../store/targets/keepsItsData.ts';

export default defineAllowlistChange({
  words: 'allowlist disqualify',
  summary: 'Reject the uploads of UIDs permanently.',
  details: `Their entries are kept. They can still be shown, verified and exported. In a stage that keeps its data, two reviewers
decide, or the history says that they did not.`,
  examples: [
    ['allowlist disqualify 1001 --reviewed', 'two reviewers have said so: their verdicts are the reason'],
    ['allowlist disqualify 1001 --reason "left, says TEAM" --without-review', 'one admin says so'],
  ],
  options: {
    given: { flags: '--reason <text>', help: 'the reason', read: textOption('reason') },
    reviewed: { flags: '--reviewed', help: 'instead of a reason: only if two reviewers agree' },
    alone: { flags: '--without-review', help: 'with a reason: without two reviewers, which the history says' },
  },
  async run({ owners, given, reviewed, alone }, { target }) {
    if ((given !== undefined) === reviewed) throw new Failure('usage', 'Give either --reason TEXT or --reviewed.');
    if (reviewed && alone) throw new Failure('usage', 'Give either --reviewed or --without-review.');
    if (!reviewed && !alone && keepsItsData(target)) {
      const advice = 'Give --reviewed. To decide alone, which the history says: --reason TEXT --without-review.';
      throw new Failure('usage', `In ${target.name}, two reviewers disqualify a team.`, { advice });
    }
    const [owner = '', ...others] = owners;
    if (reviewed && others.length > 0) throw new Failure('usage', 'Give one UID with --reviewed.');
    const entries = await requireListed(target, owners);
    const { agreedReason } = await import('../../review/verdicts/giveVerdict.ts');
    const stated = given ?? (await agreedReason(target, owner));
    const reason = alone ? `without review: ${stated}` : stated;
    const questions = [`Disqualify UID ${owners.join(', ')} in ${target.name}?`];
    return planChange(target, entries, { status: 'disqualified', reason }, { why: reason, questions });
  },
});
