import { uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { apiKeysEditor, failChange } from '../../store/tables/apiKeysEditor.ts';
import { selectKeys } from '../../store/tables/selectKeys.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('revoke', {
    summary: 'Revoke keys permanently, from the next request. Entries that they signed can still be verified.',
    examples: [
      ['keys revoke ailog_5f0c…', 'revoke one key, after confirmation'],
      ['keys revoke --uid 1001 --uid 1002', 'revoke all keys of two teams'],
    ],
  })
    .argument('[key...]', 'access keys')
    .option('--uid <uid>', 'revoke all keys of this UID; can be repeated', uids)
    .option('--from <file>', 'revoke the keys of a CSV file with a column accessKey or uid')
    .option('--reason <text>', 'the reason, for the history', textOption('reason'))
    .option('-y, --yes', 'do not ask')
    .action((given, { uid, from, reason, yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const selected = await selectKeys(terminal, target, given, { uid, from });
        const active = selected.filter(({ key }) => key.status !== 'revoked');
        const [first] = active;
        const what = active.length > 1 ? `${active.length} keys` : `${first?.key.accessKey} of UID ${first?.key.uid}`;
        if (first) await terminal.confirm(`Revoke ${what} permanently in ${target.name}?`, yes);
        const editor = apiKeysEditor(target);
        const updatedBy = first ? await target.who() : '';
        const single = selected.length === 1;
        const described: { accessKey: string; uid: string; status: string }[] = [];
        try {
          for (const { key } of selected) {
            const { accessKey, uid, status } = key;
            if (status !== 'revoked') {
              const updatedAt = new Date(await target.now()).toISOString();
              const next = { ...key, status: 'revoked' as const, updatedAt, updatedBy };
              const advice = `Check it: ailog keys list ${accessKey}.`;
              const { outcome } = await target.uninterrupted(advice, () =>
                editor.replace(key, next, { change: 'revoked', why: reason }),
              );
              if (outcome !== 'stored') throw failChange(accessKey, outcome, advice);
            }
            described.push({ accessKey, uid, status: 'revoked' });
            const done = status === 'revoked' ? 'was already revoked' : 'is revoked';
            if (!json) await terminal.print(`Key ${accessKey} ${done}.`);
          }
        } finally {
          const [one] = described;
          if (json && (one || !single)) await terminal.json(single ? one : described);
        }
      }),
    );
