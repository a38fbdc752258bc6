import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { withTarget } from '../target.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createConflict, readKey } from './readKey.ts';

export const revokeKeys = (terminal: Terminal) =>
  targetCommand('revoke', {
    summary: 'Revoke a key permanently, from the next request. Entries that it signed can still be verified.',
    examples: [['keys revoke ailog_5f0c…', 'revoke one key, after confirmation']],
  })
    .argument('<key>', 'the access key')
    .option('-y, --yes', 'do not ask')
    .action(async (accessKey, { yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const seen = await readKey(target, accessKey);
        const { uid } = seen;
        if (seen.status !== 'revoked') {
          await terminal.confirm(`Revoke ${accessKey} of UID ${uid} permanently?`, yes);
          const next = {
            ...seen,
            status: 'revoked' as const,
            updatedAt: new Date().toISOString(),
            updatedBy: await target.who(),
          };
          if (!(await apiKeysEditor(target.db, target.tables.apiKeys).replace(seen, next)))
            throw createConflict(accessKey);
        }
        const done = seen.status === 'revoked' ? 'was already revoked' : 'is revoked';
        await (json
          ? terminal.json({ accessKey, uid, status: 'revoked' })
          : terminal.print(`Key ${accessKey} ${done}.`));
      }),
    );
