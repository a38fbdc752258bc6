import { type AccessCredentials, readCredentials } from '../../shell/files/credentialsFile.ts';
import { uid } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { readAllowlistEntries, requireOwnersListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor, failChange } from '../../store/tables/apiKeysEditor.ts';
import { textOption } from '../../store/tables/textLimits.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** Checks that credentials can be sent in HTTP headers. @throws Failure */
function requireSendable({ accessKey, passphrase }: AccessCredentials): void {
  if (!/^[\x21-\x7e]{1,128}$/.test(accessKey)) {
    throw new Failure('usage', 'The access key must be 1 to 128 visible ASCII characters without spaces.');
  }
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(passphrase)) {
    throw new Failure('usage', 'The passphrase must be ASCII characters, and must not start or end with a space.');
  }
}

async function askCredentials(terminal: Terminal): Promise<AccessCredentials> {
  const advice = 'Give a file that contains it: --file FILE.';
  return {
    accessKey: await terminal.secret('Access key', advice),
    secret: await terminal.secret('Secret', advice),
    passphrase: await terminal.secret('Passphrase', advice),
  };
}

export default (terminal: Terminal) =>
  targetCommand('import', {
    summary: 'Store an existing API key. Its secret and passphrase come from a file or a prompt.',
    examples: [
      ['keys import 1001 --file alpha.env', 'read AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE'],
      ['keys import 1001', 'ask for all three without showing them'],
    ],
  })
    .argument('<uid>', 'the UID of the team', uid)
    .option('--file <file>', 'a credentials file that only you can read')
    .option('--label <text>', 'a name for the key', textOption('label'))
    .option('--unlisted', 'also if the UID is not on the allowlist')
    .action(async (owner, { file, label, unlisted, json, ...where }) => {
      const credentials = file === undefined ? await askCredentials(terminal) : readCredentials(file);
      requireSendable(credentials);
      const { accessKey, secret, passphrase } = credentials;
      await withTarget(terminal, where, async (target) => {
        requireOwnersListed(await readAllowlistEntries(target, [owner]), unlisted);
        const at = new Date(await target.now()).toISOString();
        const apiKey = {
          accessKey,
          uid: owner,
          status: 'active' as const,
          credentials: await target.seal({ secret, passphrase }, { accessKey, uid: owner }),
          createdAt: at,
          updatedAt: at,
          updatedBy: await target.who(),
          ...(label && { label }),
        };
        const advice = `Check it: ailog keys show ${accessKey}.`;
        const { outcome } = await target.uninterrupted(advice, () =>
          apiKeysEditor(target).replace(undefined, apiKey, { change: 'imported' }),
        );
        if (outcome === 'changed') {
          throw new Failure('negative', `Key ${accessKey} already exists. Nothing was changed.`, {
            advice: 'To give it a new secret: ailog keys rotate KEY',
          });
        }
        if (outcome === 'unknown') throw failChange(accessKey, outcome, advice);
        await (json
          ? terminal.json({ uid: owner, accessKey })
          : terminal.print(`Imported ${accessKey} for UID ${owner}.`));
      });
    });
