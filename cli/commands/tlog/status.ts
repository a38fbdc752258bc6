import { inspectLog, readTlogState } from '../../proof/inclusion/inspectLog.ts';
import { askAboutKey } from '../../proof/inclusion/trustedKeys.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

async function showStatus(terminal: Terminal, target: Target, json: boolean | undefined): Promise<void> {
  const state = await readTlogState(target);
  const status = inspectLog(state, await target.now());
  const { problems, laterReceiptKeys: later, ...facts } = status;
  if (problems.length > 0) terminal.reportNegative();
  if (json) return terminal.json(status);
  const list = (values: readonly string[]) => values.join(', ') || 'none';
  await terminal.facts({
    origin: facts.origin,
    size: facts.size,
    root: facts.root,
    'signed by': list(facts.signers),
    'cosigned by': state.witnesses && list(Object.entries(facts.cosigned).map(([name, time]) => `${name} (${time})`)),
    quorum: state.witnesses === undefined ? undefined : facts.quorum ? 'reached' : 'missed',
    head: `${facts.headSize === facts.size ? 'published' : `size ${facts.headSize}, being published`}, written ${facts.headWrittenAt}`,
    'has come to': `${facts.cursor}, ${formatDuration(facts.lagSeconds * 1000)} ago`,
    'checkpoint keys': list(facts.checkpointKeys),
    'receipt keys': list(facts.receiptKeys),
    'looked again up to': facts.lookedAgain ?? 'nothing yet',
  });
  for (const sentence of [...later.map(askAboutKey), ...problems]) terminal.note(sentence);
  if (problems.length === 0) terminal.note('The log is in order.');
}

export default (terminal: Terminal) =>
  targetCommand('status', {
    summary: 'Show the state of the transparency log. The exit code is 1 if something is wrong with it.',
    examples: [
      ['tlog status --stack AiLogUpload-prod', 'size, signers, lag and keys'],
      ['tlog status --json', 'the same as JSON; "problems" lists what is wrong'],
    ],
  }).action(({ json, ...where }) => withTarget(terminal, where, (target) => showStatus(terminal, target, json)));
