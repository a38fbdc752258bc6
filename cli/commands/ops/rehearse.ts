import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepsData } from '../../../infra/settings.ts';
import { readHead } from '../../proof/inclusion/judgeHead.ts';
import { requireCreatable, writeNew } from '../../shell/files/write.ts';
import { count, upTo } from '../../shell/terminal/arguments.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type Facts, formatFacts } from '../../shell/terminal/format.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { counted } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import { clientSettings } from '../../store/targets/openedTarget.ts';
import { readStackLoad } from '../../store/targets/stackLoad.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';
import { attempt, signRequest } from '../../upload/attempt.ts';
import { findMadeUpUids, madeUpUids, makeTeams, removeTeams } from '../../upload/madeUpTeams.ts';
import { DOLLARS_PER_MILLION, planUploads, sendPlan, summarize } from '../../upload/rehearsal.ts';

/** The time to wait for an answer, and for the transparency log and CloudWatch to have the last upload. */
const ANSWER_MS = 10_000;
const PATIENCE_MS = 5 * 60_000;
const LOOK_MS = 2000;

const rehearseCommand = () =>
  targetCommand('rehearse', {
    summary: `Rehearse a competition: make up teams, upload their logs from this machine, report what happened, and remove them. Refused in prod. The hashes of the logs stay in the transparency log, so rehearse on a stage that you delete.`,
    examples: [
      ['ops rehearse --stack AiLogUpload-rehearsal --teams 500 --minutes 10', 'ten minutes, of which one is the peak'],
      ['ops rehearse --teams 100 --minutes 1', 'against npm start'],
      ['ops rehearse --stack AiLogUpload-rehearsal --remove', 'remove what a run left that was cut off'],
    ],
  })
    .option('--teams <n>', 'teams that upload', count, 500)
    .option('--per-minute <n>', 'uploads of one team in a minute', upTo(1000), 1)
    .option('--peak <n>', 'the uploads of the busiest minute, as a multiple of the others', upTo(1000), 7)
    .option('--in-one-second', 'all uploads of the busiest minute come in one second')
    .option('--minutes <n>', 'how long to upload', upTo(24 * 60), 10)
    .option('-o, --output <file>', 'write the report to this file (default: rehearsal-TIME.txt)')
    .option('--remove', 'only remove the teams of earlier runs, and their logs');

type Rehearsal = OptionsOf<typeof rehearseCommand>;

/** @throws Failure if a stage is in use */
function requireNotProd({ name }: Target): void {
  if (!keepsData({ stage: name.replace(/^AiLogUpload-/, '') })) return;
  const advice = 'Deploy another stage with the same settings: docs/runbook/before-the-competition.md.';
  throw new Failure('usage', `${name} is in use: a rehearsal would upload made-up logs to it.`, { advice });
}

/** Sends a request that is rejected. @returns the base URL @throws Failure if the service does not answer */
async function requireAnswer({ name, baseUrl: url }: Target, stop: AbortSignal): Promise<string> {
  const access = { url: url ?? '', accessKey: 'rehearsal', secret: '-', passphrase: '-' };
  const probe = signRequest(access, Buffer.from('{}'), Date.now());
  const reply = url && (await attempt(probe, { timeout: ANSWER_MS, stop }));
  if (reply && reply.code !== undefined) return access.url;
  const advice = 'For the local data, npm start must run in another terminal.';
  throw new Failure('unreachable', `${name} does not answer${reply ? `: ${reply.says}` : ''}.`, { advice });
}

/** Reads again and again, until something is found or it took too long. @returns what was read last */
async function readUntil<Found>(read: () => Promise<Found>, isDone: (found: Found) => boolean, signal: AbortSignal) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isDone(found) || Date.now() > end) return found;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Makes teams, uploads their logs, and reads what came of it. @throws the reason of the user's interruption */
async function uploadAll(terminal: Terminal, target: Target, uids: readonly string[], url: string, options: Rehearsal) {
  const { signal } = terminal;
  const plan = planUploads(options);
  const began = Date.now();
  const teams = await makeTeams(target, uids);
  terminal.note(`Teams made: ${teams.length}. Uploading ${counted(plan.length, 'log')}, for ${options.minutes} min.`);
  let lagMs = 0;
  const readCursor = async () => {
    const cursor = (await readHead(target))?.cursor;
    if (cursor !== undefined) lagMs = Math.max(lagMs, Date.now() - cursor);
    return cursor;
  };
  const looking = setInterval(() => void readCursor().catch(() => undefined), LOOK_MS);
  const sent = await sendPlan(plan, teams, { url, timeout: ANSWER_MS, stop: signal }).finally(() =>
    clearInterval(looking),
  );
  signal.throwIfAborted();
  const ended = Date.now();
  const summary = summarize(options, sent);
  const cursor = await readUntil(readCursor, (cursor = Number.POSITIVE_INFINITY) => cursor > ended, signal);
  const lastLoggedMs = cursor !== undefined && cursor > ended ? Date.now() - ended : undefined;
  const readLoad = () => readStackLoad(target, clientSettings(options), { began, ended: Date.now() });
  return {
    target: target.name,
    began: formatTime(began),
    ended: formatTime(ended),
    ...summary,
    tlog: cursor === undefined ? undefined : { lagMs, lastLoggedMs },
    aws: options.stack ? await readUntil(readLoad, ({ accepted }) => accepted >= summary.accepted, signal) : undefined,
    dollars: (DOLLARS_PER_MILLION * summary.uploads) / 1e6,
  };
}

type Done = Awaited<ReturnType<typeof uploadAll>>;

const seconds = (ms: number | undefined) => (ms === undefined ? '?' : `${Math.round(ms / 1000)} s`);
const list = (values: Readonly<Record<string, number>>, unit = '') =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value}${unit}`)
    .join(', ') || 'none';

/** Describes a rehearsal for people, a fact a line. */
function factsOf(
  done: Awaited<ReturnType<typeof uploadAll>> & { readonly removed: number },
  options: Rehearsal,
): Facts {
  const { aws, tlog, uploads, machines, cpuMs } = done;
  const { teams, perMinute, peak, minutes, inOneSecond } = options;
  const unknown = 'not known without a deployment';
  return {
    'rehearsal of': done.target,
    time: `${done.began} to ${done.ended}`,
    demand: `${counted(teams, 'team')}, ${perMinute} a minute each for ${minutes} min`,
    'busiest minute': `${peak} times as many${inOneSecond ? ', all in one second' : ''}`,
    uploads,
    accepted: done.accepted,
    refused: list(done.refused),
    'without a valid receipt': done.withoutReceipt,
    'time to answer': list(done.answerMs ?? {}, ' ms'),
    '  busiest minute': list(done.answerMsInPeak ?? {}, ' ms'),
    'sent late by at most': `${done.sentLateMs} ms`,
    'machines it takes': `${machines}, as this one spends ${cpuMs} ms of CPU on an upload`,
    'transparency log': tlog
      ? `at most ${seconds(tlog.lagMs)} behind; it had the last log after ${seconds(tlog.lastLoggedMs)}`
      : 'not known: there is none yet',
    'cold starts': aws?.coldStarts ?? unknown,
    throttles: aws ? `function: ${aws.functionThrottles}, tables: ${aws.tableThrottles}` : unknown,
    alarms: aws ? aws.alarms.join('; ') || 'none went off' : unknown,
    requests: `${uploads} of gateway and function, ${4 * uploads} of DynamoDB`,
    'units of DynamoDB': aws ? `read: ${aws.readUnits}, write: ${aws.writeUnits}` : unknown,
    'cost, about': `$${done.dollars.toFixed(2)} in AWS, by docs/capacity.md`,
    removed: `${counted(teams, 'team')}, ${counted(done.removed, 'log')}`,
  };
}

async function rehearseRun(terminal: Terminal, target: Target, options: Rehearsal): Promise<void> {
  const { teams, output = `rehearsal-${formatTime(Date.now()).replaceAll(':', '')}.txt`, remove, json } = options;
  const path = resolve(terminal.cwd(), output);
  requireNotProd(target);
  if (!remove) requireCreatable(path);
  const url = remove ? '' : await requireAnswer(target, terminal.signal);
  const uids = remove ? await findMadeUpUids(target) : madeUpUids(teams);
  let removed = 0;
  let done: Done | undefined;
  try {
    if (!remove) done = await uploadAll(terminal, target, uids, url, options);
  } catch (cause) {
    throw terminal.signal.aborted ? new Failure('interrupted', 'Interrupted: there is no report.', { cause }) : cause;
  } finally {
    removed = await removeTeams(target, uids);
    terminal.note(`Removed: ${counted(uids.length, 'team')}, ${counted(removed, 'log')}.`);
  }
  if (done === undefined) return json ? terminal.json({ teams: uids.length, removed }) : undefined;
  const facts = factsOf({ ...done, removed }, options);
  try {
    writeNew([{ path, text: `${formatFacts(facts, { full: true }).join('\n')}\n` }]);
  } finally {
    // Nobody wants to do it again because the disk was full.
    await (json ? terminal.json({ ...done, removed }) : terminal.facts(facts, { full: true }));
  }
  const each = `--teams ${Math.ceil(teams / done.machines)}`;
  if (done.machines > 1) terminal.note(`Run it on ${done.machines} machines at the same time, each with ${each}.`);
  terminal.note(`Written to ${output}.`);
}

export default (terminal: Terminal) =>
  rehearseCommand().action((options) => {
    // After Ctrl-C, what was made is removed before the target is closed.
    const patient = Object.create(terminal, { signal: { value: new AbortController().signal } });
    return withTarget(patient, options, (target) => rehearseRun(terminal, target, options));
  });
