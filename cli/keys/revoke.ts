import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { inPlace } from '../target.ts';
import { placedCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { changedMeanwhile, readKey } from './readKey.ts';

export const revokeKeys = (terminal: Terminal) =>
  placedCommand('revoke', {
    summary: 'End a key for good, from the next request on. What it signed can still be verified.',
    examples: [['keys revoke ailog_5f0c…', 'asks first']],
  })
    .argument('<key>', 'the access key')
    .option('-y, --yes', 'do not ask')
    .action(async (accessKey, { yes, json, ...where }) =>
      inPlace(terminal, where, async (place) => {
        const seen = await readKey(place, accessKey);
        const { uid } = seen;
        if (seen.status !== 'revoked') {
          await terminal.confirm(`Revoke ${accessKey} of UID ${uid} for good?`, yes);
          const next = {
            ...seen,
            status: 'revoked' as const,
            updatedAt: new Date().toISOString(),
            updatedBy: await place.who(),
          };
          if (!(await apiKeysEditor(place.db, place.tables.apiKeys).replace(seen, next)))
            throw changedMeanwhile(accessKey);
        }
        const done = seen.status === 'revoked' ? 'was revoked already' : 'is revoked';
        await (json
          ? terminal.json({ accessKey, uid, status: 'revoked' })
          : terminal.print(`Key ${accessKey} ${done}.`));
      }),
    );
