import { hexId, type VerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { requireOwnLog } from '../../proof/log/ownLog.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { onTarget } from '../../store/targets/target.ts';

const LAG_LIMIT_MS = 5 * 60_000;

const idsOf = (keys: readonly VerifierKey[]): string[] => keys.map(({ id }) => hexId(id));

export default defineCommand({
  words: 'tlog status',
  for: 'Operators and auditors',
  summary: 'Show size, age, lag, keys and cosigners of the transparency log.',
  details: `"tlog audit" checks the log itself. The exit code is 5 if the log is more than 5 minutes behind, or if too
few witnesses cosigned its checkpoint, and 1 if the checkpoint cannot be trusted.`,
  examples: [['tlog status --stack AiLogUpload-prod', 'the log of a deployment']],
  on: onTarget,
  async run(_asked, { target, terminal, remark }) {
    const log = await requireOwnLog(target);
    const { origin, size, root, cosigned, quorum } = log.checkpoint;
    const { n, time, cursor, looked, retentionDays } = await log.newest();
    const lag = log.now - cursor;
    if (lag > LAG_LIMIT_MS) remark(`The sequencer is behind: it has come to ${formatTime(cursor)}.`);
    if (!quorum) remark('Too few witnesses cosigned the newest checkpoint.');
    if (lag > LAG_LIMIT_MS || !quorum) terminal.reportUnchecked();
    for (const problem of log.keyProblems) remark(problem);
    return {
      origin,
      size,
      root: Buffer.from(root).toString('base64'),
      commit: n,
      committedAt: new Date(time).toISOString(),
      ageSeconds: Math.round((log.now - time) / 1000),
      cursor: new Date(cursor).toISOString(),
      lagSeconds: Math.round(lag / 1000),
      lookedAgainUntil: new Date(looked).toISOString(),
      retentionDays,
      checkpointKeys: idsOf(log.policy.logs.map(({ key }) => key)),
      receiptKeys: idsOf(log.policy.receipts),
      cosigned: Object.fromEntries([...cosigned].map(([name, at]) => [name, new Date(at * 1000).toISOString()])),
      quorum,
    };
  },
  *shows({ origin, size, root, cosigned, quorum, retentionDays, ...facts }) {
    const witnesses = Object.entries(cosigned).map(([name, at]) => `${name} at ${at}`);
    yield {
      facts: {
        origin,
        size,
        root,
        'newest commit': `${facts.commit}, of ${facts.committedAt}, ${formatDuration(facts.ageSeconds * 1000)} ago`,
        'has come to': `${facts.cursor}, ${formatDuration(facts.lagSeconds * 1000)} ago`,
        'looked again up to': facts.lookedAgainUntil,
        retention: retentionDays === 0 ? 'for ever' : `${retentionDays} days`,
        'checkpoint keys': facts.checkpointKeys.join(', '),
        'receipt keys': facts.receiptKeys.join(', '),
        witnesses: witnesses.length > 0 ? witnesses.join(', ') : 'none cosigned',
        quorum: quorum ? 'yes' : 'no',
      },
    };
  },
});
