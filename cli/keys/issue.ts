import { allowlistTable } from '../../functions/allowlist/allowlist.ts';
import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { issueKey } from '../data/issueKey.ts';
import { readTimeout } from '../data/readTimeout.ts';
import { withTarget } from '../target.ts';
import { date, uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { handOver } from './handOver.ts';

export const issueKeys = (terminal: Terminal) =>
  targetCommand('issue', {
    summary: 'Issue an API key to a UID. Its secret and passphrase are shown only once.',
    examples: [
      ['keys issue 1001 --label bot --out alpha.env', 'write the credentials to a file that only you can read'],
      ['keys issue 1001 --expires 2026-01-31', 'print the credentials; the key expires on that day'],
    ],
  })
    .argument('<uid>', 'the UID of the team', uid)
    .option('--label <text>', 'a name for the key')
    .option('--expires <date>', 'the date from which the key is rejected', date)
    .option('--out <file>', 'write the credentials to a new file instead of stdout')
    .action(async (owner, { label, expires, out, json, ...where }) => {
      const at = Date.now();
      if (expires !== undefined && expires <= at) throw new Failure('usage', '--expires must be in the future.');
      await withTarget(terminal, where, async (target) => {
        const { apiKey, credentials } = await issueKey(owner, {
          seal: target.seal,
          at,
          updatedBy: await target.who(),
          ...(label && { label }),
          ...(expires && { expiresAt: new Date(expires).toISOString() }),
        });
        const { accessKey } = apiKey;
        const store = async () => {
          if (!(await apiKeysEditor(target.db, target.tables.apiKeys).create(apiKey))) {
            throw new Failure('rejected', `Key ${accessKey} already exists.`, { advice: 'Run the command again.' });
          }
        };
        await handOver(
          terminal,
          { credentials: { accessKey, ...credentials }, facts: { uid: owner }, store },
          { out, json },
        );
        const allowlistEntry = await allowlistTable(target.db, target.tables.allowlist).get(owner, readTimeout());
        if (allowlistEntry?.status !== 'approved') {
          terminal.note(`UID ${owner} is not approved. To let it upload: ailog allowlist add ${owner}`);
        }
      });
    });
