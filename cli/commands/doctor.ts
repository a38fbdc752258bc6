import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { defineCommand, type Surroundings } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import { counted } from '../shell/text/numbers.ts';
import { onService } from '../upload/access.ts';
import { attempt } from '../upload/attempt.ts';
import { diagnose, type Finding } from '../upload/diagnose.ts';
import { checkLog, checkLogFile, readLog, sayObjection } from '../upload/readLog.ts';
import { describeRounded, isRounded } from '../upload/roundedOrders.ts';
import { requireLogs } from '../upload/uploadFolder.ts';

function findingOf(name: string, { objection, orderId, warning }: ReturnType<typeof checkLogFile>): Finding {
  if (objection) return { check: 'log', status: 'wrong', says: `${name}: ${sayObjection(objection)}` };
  if (warning) return { check: 'log', status: 'warning', says: `${name} would be accepted, but ${warning}` };
  const order = orderId === null ? 'no order' : `order ${orderId}`;
  return { check: 'log', status: 'ok', says: `${name} would be accepted; it names ${order}` };
}

async function examineLogs(terminal: Surroundings, given: string): Promise<Finding[]> {
  const path = resolve(terminal.cwd(), given);
  if (given === '-') {
    const { name, body } = await readLog(terminal, given);
    return [findingOf(name, checkLog(body))];
  }
  if (!statSync(path).isDirectory()) return [findingOf(basename(path), checkLogFile(path))];
  const logs = requireLogs(path, given).map((file) => ({ file, ...checkLogFile(join(path, file)) }));
  const accepted = logs.filter(({ objection }) => !objection).length;
  const rounded = describeRounded(logs);
  return [
    ...logs
      .filter((log) => !isRounded(log))
      .map((log) => findingOf(log.file, log))
      .filter(({ status }) => status !== 'ok'),
    { check: 'logs', status: 'ok', says: `${accepted} of ${counted(logs.length, 'log')} would be accepted` },
    ...(rounded ? [{ check: 'logs', status: 'warning', says: rounded } as const] : []),
  ];
}

/** This program signs what it sends, so the remaining cause is what another program does with the body. */
const NOTHING_FOUND = `No problem found. If your own program gets 40009, it sends other bytes than it signed, mostly because a library serialises the JSON again. Write what it sends to FILE, and compare its ACCESS-SIGN with that of: ${PROGRAM} sign FILE --timestamp ACCESS-TIMESTAMP`;

export default defineCommand({
  words: 'doctor',
  for: 'Teams',
  summary: 'Find out why uploads are rejected, without uploading anything.',
  examples: [
    ['doctor', 'check clock, key, signature, passphrase and allowlist'],
    ['doctor log.json', 'check this log too'],
    ['doctor logs', 'check all logs of this folder too'],
  ],
  args: { file: { name: '[file]', help: 'a log, or a folder of logs, to check too; nothing is sent' } },
  on: onService,
  forms: ['wide'],
  async run({ file }, { access, timeout, terminal, remark, endWith }) {
    const log = file === undefined ? [] : await examineLogs(terminal, file);
    const sending = { timeout, stop: terminal.signal };
    const findings = [...(await diagnose(access, (request) => attempt(request, sending))), ...log];
    const checksThatAre = (one: Finding['status']) => [
      ...new Set(findings.filter(({ status }) => status === one).map(({ check }) => check)),
    ];
    const [wrong, warnings] = [checksThatAre('wrong'), checksThatAre('warning')];
    if (wrong.includes('connection')) {
      endWith(
        new Failure('unreachable', 'The service could not be reached.', { advice: 'Check the URL and the network.' }),
      );
      return findings;
    }
    if (warnings.length > 0) remark(`Warnings: ${warnings.join(', ')}.`);
    else if (wrong.length === 0) remark(NOTHING_FOUND);
    if (wrong.length > 0) {
      remark(`Problems: ${wrong.join(', ')}.`);
      terminal.reportNegative();
    }
    return findings;
  },
  shows: (findings) => [{ table: findings, wraps: true }],
});
