import { type ApiKey, isUsable } from '../../../functions/auth/apiKeys.ts';
import { span, uids } from '../../shell/terminal/arguments.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { handOver, planFiles } from '../../store/tables/handOver.ts';
import { credentialsEndedBy, rotateKey } from '../../store/tables/issueKey.ts';
import { type Selected, selectKeys } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const DEFAULT_GRACE_MS = 3_600_000;

function findObstacle(key: ApiKey, now: number): string | undefined {
  const { accessKey, status, expiresAt } = key;
  if (isUsable(key, now)) return undefined;
  return `Key ${accessKey} ${status === 'active' ? `expired at ${expiresAt}` : `is ${status}`} and cannot be rotated.`;
}

/** Returns the keys that can be rotated, and notes the others. @throws Failure if one was named, or if none is left */
function requireUsable(terminal: Terminal, selected: readonly Selected[], now: number): ApiKey[] {
  const checked = selected.map((one) => ({ ...one, obstacle: findObstacle(one.key, now) }));
  const named = checked.filter(({ named, obstacle }) => named && obstacle);
  const usable = checked.filter(({ obstacle }) => obstacle === undefined);
  if (named.length > 0 || usable.length === 0) {
    const blocked = named.length > 0 ? named : checked;
    const owners = [...new Set(blocked.map(({ key }) => key.uid))];
    const obstacles = blocked.flatMap(({ obstacle = [] }) => obstacle);
    throw new Failure('negative', obstacles, { advice: `Issue a new key: ailog keys issue ${owners.join(' ')}` });
  }
  for (const { obstacle } of checked) if (obstacle) terminal.note(`Left out: ${obstacle}`);
  return usable.map(({ key }) => key);
}

/** Asks before credentials are rejected earlier than their users know, and before several keys are rotated. */
async function confirmRotation(
  terminal: Terminal,
  target: Target,
  keys: readonly ApiKey[],
  { at, graceMs, yes }: { at: number; graceMs: number; yes: true | undefined },
): Promise<void> {
  const ended = keys.flatMap((key) => credentialsEndedBy(key, { at, graceMs }));
  const [only, second] = keys;
  if (second === undefined && graceMs > 0 && ended.length === 0) return;
  const what = second === undefined ? `key ${only?.accessKey}` : `${keys.length} keys`;
  const current = graceMs === 0 ? 'are rejected at once' : `stay valid for ${formatDuration(graceMs)}`;
  const older = ended.length > 0 ? ` Earlier credentials still valid, now rejected: ${ended.length}.` : '';
  await terminal.confirm(`Rotate ${what} in ${target.name}? Current credentials ${current}.${older}`, yes);
}

const rotateCommand = () =>
  targetCommand('rotate', {
    summary: 'Give keys new secrets and passphrases. The old ones stay valid for a grace period.',
    examples: [
      ['keys rotate ailog_5f0c… -o alpha.env', 'the old ones stay valid for 1 hour'],
      ['keys rotate ailog_5f0c… --grace 0', 'after a leak: the old ones are rejected at once'],
      ['keys rotate --uid 1001 --uid 1002 --output-dir keys', 'all active keys of two teams'],
    ],
  })
    .argument('[key...]', 'access keys')
    .option('--uid <uid>', 'rotate all active keys of this UID; can be repeated', uids)
    .option('--from <file>', 'rotate the keys of a CSV file with a column accessKey or uid')
    .option('--grace <span>', 'the grace period: 90s, 30m, 2d, or 0', span, DEFAULT_GRACE_MS)
    .option('--reason <text>', 'the reason, for the history', textOption('reason'))
    .option('-o, --output <file>', 'write the credentials to a new file instead of stdout')
    .option('--output-dir <folder>', 'write a file for each key, and what teams need, to this folder')
    .option('--skip-existing', 'leave out keys whose file is in the folder, to continue after an interruption')
    .option('-y, --yes', 'do not ask');

async function rotateRun(
  terminal: Terminal,
  target: Target,
  given: readonly string[],
  options: OptionsOf<typeof rotateCommand>,
): Promise<void> {
  const { grace: graceMs, reason, yes } = options;
  const selected = await selectKeys(terminal, target, given, options);
  const keys = requireUsable(terminal, selected, await target.now());
  const single = keys.length === 1 && options.outputDir === undefined;
  const left = await planFiles(terminal, keys, options);
  if (left.length === 0) return terminal.note('Every key has its file already. Nothing was rotated.');
  const chosen = left.map(({ key }) => key);
  await confirmRotation(terminal, target, chosen, { at: await target.now(), graceMs, yes });
  const editor = apiKeysEditor(target);
  const by = await target.who();
  let oldValidUntil: string | undefined;
  await handOver(terminal, target, left, { ...options, single }, async (key) => {
    const rotated = await rotateKey(key, { seal: target.seal, at: await target.now(), graceMs, by });
    oldValidUntil = rotated.apiKey.earlier?.at(-1)?.validUntil;
    const store = () => editor.replace(key, rotated.apiKey, { change: 'rotated', why: reason });
    return { ...rotated, facts: { oldValidUntil }, store };
  });
  if (single && oldValidUntil) terminal.note(`The old credentials are valid until ${oldValidUntil}.`);
  if (graceMs === 0) terminal.note('The old credentials are rejected from now on.');
}

export default (terminal: Terminal) =>
  rotateCommand().action((given, options) =>
    withTarget(terminal, options, (target) => rotateRun(terminal, target, given, options)),
  );
