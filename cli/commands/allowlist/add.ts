import { readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import {
  askLift,
  defineAllowlistChange,
  hasStatus,
  LIFT,
  nameBarred,
  planChange,
} from '../../store/tables/changeAllowlist.ts';
import { textOption } from '../../store/tables/textLimits.ts';

export default defineAllowlistChange({
  words: 'allowlist add',
  summary: 'Approve UIDs. They can upload from the next request.',
  examples: [
    ['allowlist add 1001 --team "Alpha"', 'approve one team, with its name'],
    ['allowlist add 1001 1002 1003', 'approve several teams'],
    ['allowlist add 1001 --lift-disqualification --note "appeal won"', 'approve a disqualified team again'],
  ],
  options: {
    team: { flags: '--team <name>', help: 'the name of the team (default: unchanged)', read: textOption('team') },
    note: { flags: '--note <text>', help: 'a note for other admins (default: unchanged)', read: textOption('note') },
    lift: LIFT,
  },
  async run({ owners, team, note, lift }, { target }) {
    const entries = await readAllowlistEntries(target, owners);
    const suspended = entries.filter(({ entry }) => hasStatus(entry, 'suspended'));
    const approveAgain = `${nameBarred(suspended)}. Approve again in ${target.name}?`;
    const questions = [...askLift(target, entries, lift), ...(suspended.length > 0 ? [approveAgain] : [])];
    const fields = { status: 'approved', ...(team && { team }), ...(note && { note }) } as const;
    return planChange(target, entries, fields, { why: note, questions });
  },
});
