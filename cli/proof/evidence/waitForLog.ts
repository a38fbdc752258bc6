import type { Policy } from '../../../functions/c2sp/policy.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import type { PublicFiles } from '../inclusion/publicFiles.ts';
import { openFiles, type PublicLog } from '../inclusion/publicLog.ts';
import { collectFindings, type Findings, statusOf } from './evidence.ts';
import { decodeReceiptHeader, recordInclusion, recordReceipt, verifyReceipt } from './receiptEvidence.ts';

/** The time between two looks at the log. It grows once a minute. */
const PAUSE_MS = 5000;

/** Verifies a receipt, and looks its entry up. @param header the value of AI-LOG-RECEIPT */
async function verifyNow(header: string, policy: Policy, log: PublicLog): Promise<Findings & { deadline: number }> {
  const findings = collectFindings();
  const receipt = findings.attempt(() => verifyReceipt(decodeReceiptHeader(header), policy));
  if (receipt) {
    recordReceipt(findings, receipt);
    await recordInclusion(findings, receipt, { logs: [log], policy });
  }
  return { ...findings, deadline: receipt?.deadline ?? 0 };
}

/**
 * Waits until the entries of uploads are in the public log, or their deadlines have passed, and reports on them.
 * @param receipts by the names of the logs, the values of AI-LOG-RECEIPT; undefined: the service sent none
 * @throws Failure if the log cannot be read and no deadline is known to be ahead
 */
export async function waitForLog(
  terminal: Terminal,
  receipts: ReadonlyMap<string, string | undefined>,
  { files, policy }: { readonly files: PublicFiles; readonly policy: Policy },
): Promise<void> {
  const results = new Map<string, Findings & { deadline: number }>();
  const deadlineOf = ([name]: readonly [string, string]) => results.get(name)?.deadline ?? 0;
  let open = [...receipts].filter((one): one is [string, string] => one[1] !== undefined);
  for (let isNoted = false; open.length > 0; ) {
    try {
      const log = await openFiles(files, policy);
      for (const [name, receipt] of open) results.set(name, await verifyNow(receipt, policy, log));
    } catch (error) {
      // Before the first answer, the URL is probably wrong.
      if (!(error instanceof Failure && error.outcome === 'unreachable' && results.size > 0)) throw error;
      if (open.every((one) => deadlineOf(one) < Date.now())) throw error;
    }
    open = open.filter(([name]) => results.get(name)?.promise === 'pending');
    if (open.length === 0) break;
    const last = Math.max(...open.map(deadlineOf));
    if (!isNoted) terminal.note(`Waiting for the transparency log, until ${formatTime(last)} at most.`);
    isNoted = true;
    await pause(terminal.signal, PAUSE_MS);
  }
  let proven = 0;
  for (const name of receipts.keys()) {
    const found = results.get(name);
    const status = found ? statusOf(found) : 'NO PROOF';
    if (status === 'ok') proven += 1;
    else if (status === 'FAILED') terminal.reportNegative();
    else if (status === 'BROKEN' || status === 'LATE') terminal.reportBroken();
    else terminal.reportUnchecked();
    const [problem = 'it has no receipt'] = [...(found?.wrong ?? []), ...(found?.notProven ?? [])];
    if (status !== 'ok') terminal.note(`${status}: ${name}: ${problem}.`);
  }
  terminal.note(`In the transparency log at ${files.url}: ${proven} of ${counted(receipts.size, 'log')}.`);
}
