import { resolve } from 'node:path';
import { Argument, InvalidArgumentError } from '@commander-js/extra-typings';
import { giveVerdict, STILL_AGREED, withdrawVerdict } from '../../review/verdicts/giveVerdict.ts';
import { readEvidence } from '../../review/verdicts/readEvidence.ts';
import { VERDICTS } from '../../review/verdicts/record.ts';
import { entryId, uid } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

function sample(text: string) {
  const [, seed, size, failures] = /^(.{1,40}):(\d{1,6}):(\d{1,6})$/.exec(text) ?? [];
  if (seed === undefined) {
    throw new InvalidArgumentError('A sample is its seed, the logs in it and those that failed, such as 7:60:0.');
  }
  return { seed, size: Number(size), failures: Number(failures) };
}

const entryIds = (text: string, before: readonly string[] = []): readonly string[] => [...before, entryId(text)];

export default (terminal: Terminal) =>
  targetCommand('add', {
    summary: `Give a verdict about a team. It is added to the earlier ones, and nothing is ever overwritten.
"disqualify" needs a reason, a text and a statement. When two people have given it, an admin can
disqualify the team: ailog allowlist disqualify UID --reviewed.`,
    examples: [
      ['reviews add 1001 looked-at', 'nothing was found'],
      ['reviews add 1001 withdraw', 'your verdict no longer counts; an agreement ends when two people withdraw'],
      ['reviews add 1001 explained --reason silent --text "an outage"', 'a finding has an innocent cause'],
      [
        'reviews add 3003 disqualify --reason copies --text TEXT --evidence FILE',
        'with its evidence, which ailog statement wrote',
      ],
    ],
  })
    .argument('<uid>', 'the UID of the team', uid)
    .addArgument(new Argument('<verdict>', 'what you say').choices([...VERDICTS, 'withdraw']))
    .option('--reason <code>', 'a reason code; ailog reviews reasons shows them')
    .option('--text <text>', 'why, for the other reviewers and the record', textOption('text'))
    .option('--entry <entry>', 'an entry that shows it, or the start of its id (repeatable)', entryIds)
    .option('--sample <sample>', 'a sample that you read: SEED:LOGS:FAILURES', sample)
    .option('--evidence <file>', 'a statement about the team, attached by its SHA-256')
    .action(async (team, verdict, { reason, text, entry, sample, evidence, json, ...where }) => {
      const attached = evidence === undefined ? {} : await readEvidence(resolve(terminal.cwd(), evidence), team);
      await withTarget(terminal, where, async (target) => {
        const pinned = entry && { entries: entry };
        const draft = { uid: team, ...(reason && { reason }), ...(text && { text }), ...(sample && { sample }) };
        const { record, isAgreed = false } =
          verdict === 'withdraw'
            ? await withdrawVerdict(target, team)
            : { record: await giveVerdict(target, { ...draft, verdict, ...pinned, ...attached }) };
        await (json
          ? terminal.json(record)
          : terminal.facts({ uid: team, verdict: record.verdict, id: record.id, by: record.arn }));
        if (isAgreed) terminal.note(STILL_AGREED);
      });
    });
