import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import type { Receipt } from '../../functions/receipts/receipt.ts';
import type { OpenedCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { Failure } from '../terminal/failure.ts';
import { formatInstant, formatTime } from '../text/time.ts';
import type { Context, FindingsCollector } from './evidence.ts';

/** Records how many witnesses cosigned a checkpoint, and whether they are enough. */
export function recordQuorum(findings: FindingsCollector, checkpoint: OpenedCheckpoint, policy: Policy): void {
  const { proven, notProven, wrong } = findings;
  const names = [...checkpoint.cosigned].map(([name, timestamp]) => `${name} at ${formatInstant(timestamp * 1000)}`);
  const by = names.length === 0 ? 'no witness' : names.join(', ');
  const count = `${names.length} of ${policy.witnesses.size} witnesses`;
  if (policy.quorum === 'none') {
    if (names.length > 0) proven.push(`${count} cosigned this state of the log: ${by}`);
    notProven.push('that everyone sees the same log: the policy requires no witness');
  } else if (checkpoint.quorum) {
    proven.push(`${count} cosigned this state of the log: ${by}. The quorum ${policy.quorum} of the policy is reached`);
  } else {
    wrong.push(`The quorum ${policy.quorum} of the policy is missed: ${count} cosigned this state of the log (${by})`);
  }
}

export const inLog = ({ origin, size }: OpenedCheckpoint, index: number): string =>
  `the entry is in the transparency log of ${origin}, at index ${index} of ${size}`;

const PROMISE_ONLY =
  'that the entry is in the transparency log: the receipt promises it. Look it up if the log is public (--log URL); otherwise ask the organisers for its proof (ailog prove)';

/** Records whether the public log has the entry of a receipt, as promised. @throws Failure if the log cannot be read */
export async function recordInclusion(
  findings: FindingsCollector,
  receipt: Receipt,
  { log, policy }: Pick<Context, 'log' | 'policy'>,
): Promise<void> {
  const { facts, proven, notProven, wrong } = findings;
  if (!log) {
    notProven.push(PROMISE_ONLY);
    return;
  }
  const { origin, receivedAt, deadline } = receipt;
  const wanted = { entryHash: Buffer.from(receipt.entryHash, 'hex'), receivedAt, deadline };
  try {
    if (log.checkpoint.origin !== origin) {
      throw new Error(`The receipt is of the log ${origin}, and ${log.url} is the log ${log.checkpoint.origin}`);
    }
    const { index, before, isAbsent, isWhole } = await log.find(wanted);
    const has = `the log at ${log.url} has ${log.checkpoint.size} entries`;
    const until = formatTime(deadline);
    if (index !== undefined) {
      const opened = await log.cosignedOver(wanted, index);
      facts.inLogSince = before === undefined ? 'now' : `before ${formatTime(before)}, as its unsigned hints say`;
      proven.push(inLog(opened, index));
      recordQuorum(findings, opened, policy);
      findings.promise = 'kept';
    } else if (Date.now() <= deadline + CLOCK_TOLERANCE_MS) {
      notProven.push(`that the entry is in the transparency log: not yet. The service promised it by ${until}`);
      findings.promise = 'pending';
    } else if (isAbsent) {
      const where = isWhole ? 'and not this one' : 'and this one is not where its unsigned hints say';
      wrong.push(`The promise is BROKEN: the entry had to be in the log by ${until}; ${has}, ${where}`);
      findings.promise = 'broken';
    } else {
      notProven.push(`that the entry is in the transparency log: ${has}, too many to search without its hints`);
      findings.promise = 'unknown';
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    wrong.push(`${(error as Error).message.replace(/\.$/, '')} (${log.url})`);
  }
}
