import { uids } from '../../shell/terminal/arguments.ts';
import { type Context, defineChange } from '../../shell/terminal/defineCommand.ts';
import { apiKeysEditor, failChange } from '../../store/tables/apiKeysEditor.ts';
import { type Selected, selectKeys } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

/** Revokes keys one after the other, and returns each when it is revoked, and what it was. */
async function* revoke(
  { target, endWith }: { readonly target: Target } & Pick<Context, 'endWith'>,
  selected: readonly Selected[],
  reason: string | undefined,
) {
  const editor = apiKeysEditor(target);
  const updatedBy = await target.who();
  try {
    for (const { key } of selected) {
      const { accessKey, uid, status: was } = key;
      if (was !== 'revoked') {
        const updatedAt = new Date(await target.now()).toISOString();
        const next = { ...key, status: 'revoked' as const, updatedAt, updatedBy };
        const advice = `Check it: ailog keys list ${accessKey}.`;
        const { outcome } = await target.uninterrupted(advice, () =>
          editor.replace(key, next, { change: 'revoked', why: reason }),
        );
        if (outcome !== 'stored') throw failChange(accessKey, outcome, advice);
      }
      yield { accessKey, uid, was, status: 'revoked' };
    }
  } catch (error) {
    endWith(error);
  }
}

export default defineChange({
  words: 'keys revoke',
  for: 'Admins',
  summary: 'Revoke keys permanently, from the next request.',
  details: 'Entries that they signed can still be verified.',
  examples: [
    ['keys revoke ailog_5f0c…', 'revoke one key, after confirmation'],
    ['keys revoke --uid 1001 --uid 1002', 'revoke all keys of two teams'],
  ],
  args: { keys: { name: '[key...]', help: 'access keys' } },
  options: {
    uid: { flags: '--uid <uid>', help: 'revoke all keys of this UID; can be repeated', read: uids },
    from: { flags: '--from <file>', help: 'revoke the keys of a CSV file with a column accessKey or uid' },
    reason: { flags: '--reason <text>', help: 'the reason, for the history', read: textOption('reason') },
  },
  on: onTarget,
  forms: ['wide'],
  async run({ keys, uid, from, reason }, context) {
    const { target, terminal } = context;
    const selected = await selectKeys(terminal, target, keys, { uid, from });
    const active = selected.filter(({ key }) => key.status !== 'revoked');
    const [first] = active;
    const what = active.length > 1 ? `${active.length} keys` : `${first?.key.accessKey} of UID ${first?.key.uid}`;
    return {
      plan: selected.map(({ key: { accessKey, uid, label, status } }) => ({ uid, accessKey, label, status })),
      questions: first ? [`Revoke ${what} permanently in ${target.name}?`] : [],
      apply: () => revoke(context, selected, reason),
    };
  },
  plans: (keys) => [{ table: keys.map(({ uid, accessKey, ...key }) => ({ uid, 'access key': accessKey, ...key })) }],
  async *shows(keys) {
    for await (const { accessKey, was } of keys) {
      yield `Key ${accessKey} ${was === 'revoked' ? 'was already revoked' : 'is revoked'}.`;
    }
  },
});
