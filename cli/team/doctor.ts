import { span } from '../terminal/arguments.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAccess } from './access.ts';
import { accessCommand } from './accessCommand.ts';
import { attempt } from './attempt.ts';
import { checkLog } from './checkLog.ts';
import { diagnose, type Finding } from './diagnose.ts';
import { readLog } from './readLog.ts';

const TIMEOUT_MS = 10_000;

/** What the service would say of a log. */
async function logFinding(terminal: Terminal, file: string): Promise<Finding> {
  const { name, body } = await readLog(terminal, file);
  const objection = checkLog(body);
  return objection
    ? { check: 'log', verdict: 'wrong', says: `${name}: ${objection.code}: ${objection.message}` }
    : { check: 'log', verdict: 'ok', says: `${name} would be taken` };
}

export const examineUploads = (terminal: Terminal) =>
  accessCommand('doctor', {
    summary: 'Say why uploads are rejected, without uploading anything.',
    examples: [
      ['doctor', 'clock, key, signature, passphrase, allowlist'],
      ['doctor log.json', 'and whether this log would be taken'],
    ],
  })
    .argument('[file]', 'a log to check too; it is not sent')
    .option('--url <url>', 'the base URL (default: AILOG_URL)')
    .option('--timeout <span>', 'how long to wait for an answer (default: 10s)', span)
    .action(async (file, { timeout, json, ...where }) => {
      if (timeout === 0) throw new Failure('usage', '--timeout must be longer than 0.');
      const access = readAccess(terminal, where);
      const log = file === undefined ? [] : [await logFinding(terminal, file)];
      const means = { timeout: timeout ?? TIMEOUT_MS, stop: terminal.signal };
      const findings = [...(await diagnose(access, (request) => attempt(request, means))), ...log];

      if (json) await terminal.json(findings);
      else await terminal.table(findings.map(({ check, verdict, says }) => ({ check, verdict, says })));
      const wrong = findings.filter(({ verdict }) => verdict === 'wrong');
      if (wrong.some(({ check }) => check === 'connection')) {
        throw new Failure('unreachable', 'The service was not reached.', { advice: 'Check the URL and the network.' });
      }
      if (wrong.length === 0) return terminal.note('Nothing stands in the way of an upload.');
      terminal.note(`In the way of an upload: ${wrong.map(({ check }) => check).join(', ')}.`);
      terminal.reportNegative();
    });
