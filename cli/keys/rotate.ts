import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { rotateKey } from '../data/rotateKey.ts';
import { withTarget } from '../target.ts';
import { span } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { handOver } from './handOver.ts';
import { createConflict, readKey } from './readKey.ts';

export const rotateKeys = (terminal: Terminal) =>
  targetCommand('rotate', {
    summary: 'Give a key a new secret and passphrase. The old ones stay valid for a grace period.',
    examples: [
      ['keys rotate ailog_5f0c… --out alpha.env', 'the old ones stay valid for 1 hour'],
      ['keys rotate ailog_5f0c… --grace 0', 'after a leak: the old ones are rejected at once'],
    ],
  })
    .argument('<key>', 'the access key')
    .option('--grace <span>', 'the grace period: 90s, 30m, 2d, or 0', span, 3_600_000)
    .option('--out <file>', 'write the credentials to a new file instead of stdout')
    .option('-y, --yes', 'do not ask')
    .action(async (accessKey, { grace, out, yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const seen = await readKey(target, accessKey);
        if (seen.status !== 'active') {
          throw new Failure('negative', `Key ${accessKey} is revoked and cannot be rotated.`, {
            advice: `Issue a new key: ailog keys issue ${seen.uid}`,
          });
        }
        const at = Date.now();
        const { previous } = seen;
        if (previous && Date.parse(previous.validUntil) > at) {
          const question = `The previous credentials are valid until ${previous.validUntil}. Reject them now?`;
          await terminal.confirm(question, yes);
        } else if (grace === 0) await terminal.confirm(`Reject the current credentials of ${accessKey} at once?`, yes);

        const { apiKey, credentials } = await rotateKey(seen, {
          seal: target.seal,
          at,
          graceMs: grace,
          by: await target.who(),
        });
        const validUntil = apiKey.previous?.validUntil;
        const store = async () => {
          if (!(await apiKeysEditor(target.db, target.tables.apiKeys).replace(seen, apiKey)))
            throw createConflict(accessKey);
        };
        const facts = { uid: seen.uid, oldValidUntil: validUntil };
        await handOver(terminal, { credentials: { accessKey, ...credentials }, facts, store }, { out, json });
        terminal.note(
          grace === 0
            ? 'The old credentials are rejected from now on.'
            : `The old credentials are valid until ${validUntil}.`,
        );
      }),
    );
