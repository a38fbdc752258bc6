import { inspectLog, readTlogState } from '../../proof/inclusion/inspectLog.ts';
import { askAboutKey } from '../../proof/inclusion/trustedKeys.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { onTarget } from '../../store/targets/target.ts';

const list = (values: readonly string[]) => values.join(', ') || 'none';

export default defineCommand({
  words: 'tlog status',
  for: 'Operators and auditors',
  summary: 'Show the state of the transparency log.',
  details: 'The exit code is 1 if something is wrong with it.',
  examples: [
    ['tlog status --stack AiLogUpload-prod', 'size, signers, lag and keys'],
    ['tlog status --json', 'the same as JSON; "problems" lists what is wrong'],
  ],
  on: onTarget,
  async run(_asked, { target, terminal }) {
    const state = await readTlogState(target);
    const status = inspectLog(state, await target.now());
    if (status.problems.length > 0) terminal.reportNegative();
    return { status, hasWitnesses: state.witnesses !== undefined };
  },
  json: ({ status }) => status,
  *shows({ status: { problems, laterReceiptKeys, ...facts }, hasWitnesses }) {
    const cosigned = Object.entries(facts.cosigned).map(([name, time]) => `${name} (${time})`);
    yield {
      facts: {
        origin: facts.origin,
        size: facts.size,
        root: facts.root,
        'signed by': list(facts.signers),
        'cosigned by': hasWitnesses ? list(cosigned) : undefined,
        quorum: hasWitnesses ? (facts.quorum ? 'reached' : 'missed') : undefined,
        head: `${facts.headSize === facts.size ? 'published' : `size ${facts.headSize}, being published`}, written ${facts.headWrittenAt}`,
        'has come to': `${facts.cursor}, ${formatDuration(facts.lagSeconds * 1000)} ago`,
        'checkpoint keys': list(facts.checkpointKeys),
        'receipt keys': list(facts.receiptKeys),
        'looked again up to': facts.lookedAgain ?? 'nothing yet',
      },
    };
    for (const note of [...laterReceiptKeys.map(askAboutKey), ...problems]) yield { note };
    if (problems.length === 0) yield { note: 'The log is in order.' };
  },
});
