import { apiKeysEditor } from '../data/apiKeysEditor.ts';
import { rotateKey } from '../data/rotateKey.ts';
import { withTarget } from '../target.ts';
import { span } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { handOver } from './handOver.ts';
import { changedMeanwhile, readKey } from './readKey.ts';

export const rotateKeys = (terminal: Terminal) =>
  targetCommand('rotate', {
    summary: 'Give a key a new secret and passphrase. The old ones hold for a time of grace.',
    examples: [
      ['keys rotate ailog_5f0c… --out alpha.env', 'the old ones hold for 1 h more'],
      ['keys rotate ailog_5f0c… --grace 0', 'after a leak: the old ones end at once (asks)'],
    ],
  })
    .argument('<key>', 'the access key')
    .option('--grace <span>', 'how long the old ones hold: 90s, 30m, 2d, or 0', span, 3_600_000)
    .option('--out <file>', 'write the credentials into a new file instead')
    .option('-y, --yes', 'do not ask')
    .action(async (accessKey, { grace, out, yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const seen = await readKey(target, accessKey);
        if (seen.status !== 'active') {
          throw new Failure('negative', `Key ${accessKey} is revoked; a new secret would not let it in.`, {
            advice: `Issue another one: ailog keys issue ${seen.uid}`,
          });
        }
        const at = Date.now();
        const { previous } = seen;
        if (previous && Date.parse(previous.validUntil) > at) {
          const question = `The credentials before the present ones hold until ${previous.validUntil}. End them now?`;
          await terminal.confirm(question, yes);
        } else if (grace === 0) await terminal.confirm(`End the present credentials of ${accessKey} at once?`, yes);

        const { apiKey, credentials } = await rotateKey(seen, {
          seal: target.seal,
          at,
          graceMs: grace,
          by: await target.who(),
        });
        const validUntil = apiKey.previous?.validUntil;
        const store = async () => {
          if (!(await apiKeysEditor(target.db, target.tables.apiKeys).replace(seen, apiKey)))
            throw changedMeanwhile(accessKey);
        };
        const facts = { uid: seen.uid, oldValidUntil: validUntil };
        await handOver(terminal, { credentials: { accessKey, ...credentials }, facts, store }, { out, json });
        terminal.note(
          grace === 0 ? 'The old ones are rejected from now on.' : `The old ones hold until ${validUntil}.`,
        );
      }),
    );
