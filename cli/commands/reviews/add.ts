import { resolve } from 'node:path';
import { prepareVerdict, prepareWithdrawal, STILL_AGREED } from '../../review/verdicts/giveVerdict.ts';
import { readEvidence } from '../../review/verdicts/readEvidence.ts';
import { REASON_CODES, VERDICTS } from '../../review/verdicts/record.ts';
import { entryIds, uid, WrongArgument } from '../../shell/terminal/arguments.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget } from '../../store/targets/target.ts';

function sample(text: string) {
  const [, seed, size, failures] = /^(.{1,40}):(\d{1,6}):(\d{1,6})$/.exec(text) ?? [];
  if (seed === undefined) {
    throw new WrongArgument('A sample is its seed, the logs in it and those that failed, such as 7:60:0.');
  }
  return { seed, size: Number(size), failures: Number(failures) };
}

export default defineChange({
  words: 'reviews add',
  for: 'Reviewers',
  summary: 'Give a verdict about a team.',
  details: `Verdicts are only ever added. "disqualify" needs a reason, a text and a statement, and, if the reason is a
question, what you read. When two people say "disqualify", an admin can disqualify the team: ailog allowlist disqualify
UID --reviewed.`,
  examples: [
    ['reviews add 1001 looked-at', 'nothing was found'],
    ['reviews add 1001 withdraw', 'your verdict no longer counts; an agreement ends when two people withdraw'],
    ['reviews add 1001 explained --reason silent --text "an outage"', 'a finding has an innocent cause'],
    [
      'reviews add 3003 disqualify --reason late --text T --read T --evidence F',
      'with what you read and its evidence, which ailog statement wrote',
    ],
  ],
  args: {
    team: { name: '<uid>', help: 'the UID of the team', read: uid },
    verdict: { name: '<verdict>', help: 'what you say', choices: [...VERDICTS, 'withdraw'] },
  },
  options: {
    reason: { flags: '--reason <code>', help: `a reason code: ${REASON_CODES.map(({ code }) => code).join(', ')}` },
    text: { flags: '--text <text>', help: 'why, for the other reviewers and the record', read: textOption('text') },
    read: {
      flags: '--read <text>',
      help: 'what you read, in a sentence: to disqualify for a question',
      read: textOption('read'),
    },
    entries: {
      flags: '--entry <entry>',
      help: 'an entry that shows it, or the start of its id (repeatable)',
      read: entryIds,
    },
    sample: { flags: '--sample <sample>', help: 'a sample that you read: SEED:LOGS:FAILURES', read: sample },
    evidence: { flags: '--evidence <file>', help: 'a statement about the team, attached by its SHA-256' },
  },
  on: onTarget,
  async run({ team, verdict, reason, text, read, entries, sample, evidence }, { target, terminal, remark }) {
    if (verdict === 'withdraw') {
      const { content, write } = await prepareWithdrawal(target, team);
      return {
        plan: content,
        async apply() {
          const { record, isAgreed } = await write();
          if (isAgreed) remark(STILL_AGREED);
          return record;
        },
      };
    }
    const attached = evidence === undefined ? {} : await readEvidence(resolve(terminal.cwd(), evidence), team);
    const draft = { uid: team, ...(reason && { reason }), ...(text && { text }), ...(read && { read }) };
    const { content, write } = await prepareVerdict(target, {
      ...draft,
      verdict,
      ...(entries && { entries }),
      ...(sample && { sample }),
      ...attached,
    });
    return { plan: content, apply: write };
  },
  plans: ({ uid, verdict, reason, text, read }) => [{ facts: { uid, verdict, reason, text, read } }],
  shows: ({ uid, verdict, id, arn }) => [{ facts: { uid, verdict, id, by: arn } }],
});
