import { type ApiKey, credentialsInGrace, isUsable } from '../../../functions/auth/apiKeys.ts';
import { span, uids } from '../../shell/terminal/arguments.ts';
import { defineChange, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { handOver, showHandedOver, showKeys } from '../../store/tables/handOver.ts';
import { credentialsEndedBy, rotateKey } from '../../store/tables/issueKey.ts';
import { DESTINATION, findStoredKey, planFiles } from '../../store/tables/planFiles.ts';
import { type Selected, selectKeys } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

const DEFAULT_GRACE_MS = 3_600_000;

function findObstacle(key: ApiKey, now: number): string | undefined {
  const { accessKey, status, expiresAt } = key;
  if (isUsable(key, now)) return undefined;
  return `Key ${accessKey} ${status === 'active' ? `expired at ${expiresAt}` : `is ${status}`} and cannot be rotated.`;
}

/** Returns the keys that can be rotated, and notes the others. @throws Failure if one was named, or if none is left */
function requireUsable(terminal: Surroundings, selected: readonly Selected[], now: number): ApiKey[] {
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

/** Returns the question before credentials are rejected earlier than their users know, or several keys are rotated. */
function askRotation(target: Target, keys: readonly ApiKey[], { at, graceMs }: { at: number; graceMs: number }) {
  const ended = keys.flatMap((key) => credentialsEndedBy(key, { at, graceMs }));
  const [only, second] = keys;
  if (!only || (second === undefined && graceMs > 0 && ended.length === 0)) return [];
  const what = second === undefined ? `key ${only.accessKey}` : `${keys.length} keys`;
  const current = graceMs === 0 ? 'are rejected at once' : `stay valid for ${formatDuration(graceMs)}`;
  const older = ended.length > 0 ? ` Earlier credentials still valid, now rejected: ${ended.length}.` : '';
  return [`Rotate ${what} in ${target.name}? Current credentials ${current}.${older}`];
}

export default defineChange({
  words: 'keys rotate',
  for: 'Admins',
  summary: 'Give keys new secrets and passphrases.',
  details: 'The old ones stay valid for a grace period.',
  examples: [
    ['keys rotate ailog_5f0c… -o alpha.env', 'the old ones stay valid for 1 hour'],
    ['keys rotate ailog_5f0c… --grace 0', 'after a leak: the old ones are rejected at once'],
    ['keys rotate --uid 1001 --uid 1002 --output-dir keys', 'all active keys of two teams'],
  ],
  args: { keys: { name: '[key...]', help: 'access keys' } },
  options: {
    uid: { flags: '--uid <uid>', help: 'rotate all active keys of this UID; can be repeated', read: uids },
    from: { flags: '--from <file>', help: 'rotate the keys of a CSV file with a column accessKey or uid' },
    grace: {
      flags: '--grace <span>',
      help: 'the grace period: 90s, 30m, 2d, or 0',
      read: span,
      default: DEFAULT_GRACE_MS,
    },
    reason: { flags: '--reason <text>', help: 'the reason, for the history', read: textOption('reason') },
    ...DESTINATION,
    skipExisting: {
      flags: '--skip-existing',
      help: 'leave out keys whose file is in the folder, to continue after an interruption',
    },
  },
  on: onTarget,
  forms: ['wide'],
  async run({ keys: given, grace: graceMs, reason, ...options }, context) {
    const { target, terminal, remark } = context;
    const selected = await selectKeys(terminal, target, given, options);
    const now = await target.now();
    const usable = requireUsable(terminal, selected, now);
    const { left, done } = await planFiles(terminal, usable, options, (file, { accessKey }) =>
      findStoredKey(target, file, 'rotated', (key) => {
        if (key.accessKey !== accessKey) return `is not ${accessKey}`;
        const until = credentialsInGrace(key, now + graceMs).at(-1)?.validUntil;
        return until && `accepts earlier credentials until ${until}`;
      }),
    );
    const keys = left.map(({ key }) => key);
    if (keys.length === 0) remark('Every key was rotated already, and has its file. Nothing was rotated.');
    const editor = apiKeysEditor(target);
    const by = await target.who();
    const rotate = async (key: ApiKey) => {
      const rotated = await rotateKey(key, { seal: target.seal, at: await target.now(), graceMs, by });
      const store = (id: string) => editor.replace(key, rotated.apiKey, { id, change: 'rotated', why: reason });
      return { ...rotated, oldValidUntil: rotated.apiKey.earlier?.at(-1)?.validUntil, store };
    };
    return {
      plan: left.map(({ key: { uid, accessKey, label }, file }) => ({ uid, accessKey, label, file: file?.shown })),
      questions: askRotation(target, keys, { at: now, graceMs }),
      apply: () => handOver(context, { left, done, outputDir: options.outputDir }, rotate),
    };
  },
  plans: (keys) => [showKeys(keys.map(({ uid, accessKey, ...key }) => ({ uid, 'access key': accessKey, ...key })))],
  shows: (handed) => showHandedOver(handed),
});
