import { Failure } from '../../shell/terminal/failure.ts';
import { PROGRAM } from '../../shell/terminal/programName.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { answerTimeout, readAccess, requestCommand } from '../../upload/access.ts';
import { attempt } from '../../upload/attempt.ts';
import { diagnose, type Finding } from '../../upload/diagnose.ts';
import { checkLog, readLog } from '../../upload/readLog.ts';

async function examineLog(terminal: Terminal, file: string): Promise<Finding> {
  const { name, body } = await readLog(terminal, file);
  const { objection, orderId, warning } = checkLog(body);
  if (objection) return { check: 'log', status: 'wrong', says: `${name}: ${objection.code}: ${objection.message}` };
  if (warning) return { check: 'log', status: 'warning', says: `${name} would be accepted, but ${warning}` };
  const order = orderId === null ? 'no order' : `order ${orderId}`;
  return { check: 'log', status: 'ok', says: `${name} would be accepted; it names ${order}` };
}

/** This program signs what it sends. What remains is what another program does with the body. */
const NOTHING_FOUND = `No problem found. If your own program gets 40009, it sends other bytes than it signed, mostly because a library serialises the JSON again. Write what it sends to FILE, and compare its ACCESS-SIGN with that of: ${PROGRAM} sign FILE --timestamp ACCESS-TIMESTAMP`;

export default (terminal: Terminal) =>
  requestCommand('doctor', {
    summary: 'Find out why uploads are rejected, without uploading anything.',
    examples: [
      ['doctor', 'check clock, key, signature, passphrase and allowlist'],
      ['doctor log.json', 'check this log too'],
    ],
  })
    .argument('[file]', 'a log to check too; it is not sent')
    .action(async (file, { timeout, json, ...where }) => {
      const sending = { timeout: answerTimeout(timeout), stop: terminal.signal };
      const access = readAccess(terminal, where);
      const log = file === undefined ? [] : [await examineLog(terminal, file)];
      const findings = [...(await diagnose(access, (request) => attempt(request, sending))), ...log];
      await (json ? terminal.json(findings) : terminal.table(findings, { wraps: true }));
      const wrong = findings.filter(({ status }) => status === 'wrong');
      if (wrong.some(({ check }) => check === 'connection')) {
        const advice = 'Check the URL and the network.';
        throw new Failure('unreachable', 'The service could not be reached.', { advice });
      }
      const warnings = findings.filter(({ status }) => status === 'warning').map(({ check }) => check);
      if (warnings.length > 0) terminal.note(`Warnings: ${warnings.join(', ')}.`);
      else if (wrong.length === 0) terminal.note(NOTHING_FOUND);
      if (wrong.length === 0) return;
      terminal.note(`Problems: ${wrong.map(({ check }) => check).join(', ')}.`);
      terminal.reportNegative();
    });
