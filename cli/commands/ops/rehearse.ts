import { addRehearsed } from '../../review/rows/rehearsedLeaves.ts';
import { count, upTo } from '../../shell/terminal/arguments.ts';
import { defineTerminalCommand } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { counted } from '../../shell/text/numbers.ts';
import { keepsItsData } from '../../store/targets/keepsItsData.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';
import { attempt, signRequest } from '../../upload/attempt.ts';
import * as rehearsal from '../../upload/rehearsal.ts';

/** A target that stays open after Ctrl-C, until what was made is removed. */
const onTargetToTheEnd: typeof onTarget = {
  ...onTarget,
  use: (terminal, where, work) =>
    onTarget.use(Object.create(terminal, { signal: { value: new AbortController().signal } }), where, work),
};

/** Sends a request that is rejected. @returns the base URL @throws Failure if the service does not answer */
async function requireAnswer({ name, baseUrl: url = '' }: Target, stop: AbortSignal): Promise<string> {
  const request = signRequest({ url, accessKey: 'rehearsal', secret: '-', passphrase: '-' }, Buffer.from('{}'), 0);
  const reply = url === '' ? undefined : await attempt(request, { timeout: 10_000, stop });
  if (reply?.code !== undefined) return url;
  const advice = 'For the local data, npm start must run in another terminal.';
  throw new Failure('unreachable', `${name} does not answer${reply ? `: ${reply.says}` : ''}.`, { advice });
}

export default defineTerminalCommand({
  words: 'ops rehearse',
  for: 'Operators',
  summary: 'Rehearse a competition: upload the logs of made-up teams, and remove them.',
  details: 'Refused in prod. The hashes of the logs stay in the transparency log: use a stage that you delete.',
  examples: [
    ['ops rehearse --stack AiLogUpload-rehearsal --teams 500 --minutes 10', 'ten minutes, of which one is the peak'],
    ['ops rehearse --teams 100 --minutes 1', 'against npm start'],
  ],
  options: {
    teams: { flags: '--teams <n>', help: 'teams that upload', read: count, default: 500 },
    perMinute: { flags: '--per-minute <n>', help: 'uploads of a team in a minute', read: upTo(1000), default: 1 },
    peak: { flags: '--peak <n>', help: 'the busiest minute has this many times as many', read: upTo(1000), default: 7 },
    inOneSecond: { flags: '--in-one-second', help: 'all uploads of the busiest minute come in one second' },
    minutes: { flags: '--minutes <n>', help: 'how long to upload', read: upTo(24 * 60), default: 10 },
    remove: { flags: '--remove', help: 'only remove the teams of runs that were cut off, and their logs' },
  },
  on: onTargetToTheEnd,
  async run({ remove, json, ...demand }, { terminal, target }) {
    if (keepsItsData(target)) {
      const advice = 'Deploy another stage with the same settings: docs/runbook/before-the-competition.md.';
      throw new Failure('usage', `${target.name} is in use: a rehearsal would upload made-up logs to it.`, { advice });
    }
    const url = remove ? '' : await requireAnswer(target, terminal.signal);
    const uids = remove ? await rehearsal.findMadeUpUids(target) : rehearsal.madeUpUids(demand.teams);
    let done = {};
    let removed = 0;
    try {
      if (!remove) {
        const teams = await rehearsal.makeTeams(target, uids);
        done = await rehearsal.sendPlan(rehearsal.planUploads(demand), teams, url, terminal.signal);
      }
    } finally {
      removed = await rehearsal.removeTeams(target, uids, (leaves) => addRehearsed(target.rowsFolder, leaves));
      terminal.note(`Removed: ${counted(uids.length, 'team')}, ${counted(removed, 'log')}.`);
    }
    if (terminal.signal.aborted) throw new Failure('interrupted', 'Interrupted: there is no report.');
    const report = { target: target.name, teams: uids.length, ...done, removed };
    await (json ? terminal.json(report) : terminal.facts(report));
  },
});
