import { InvalidArgumentError } from '@commander-js/extra-typings';
import { UPLOAD_PATH } from '../../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { visible } from '../../shell/text/visible.ts';
import { accessCommand, findAccess } from '../../upload/access.ts';
import { signRequest } from '../../upload/attempt.ts';
import { readLog } from '../../upload/readLog.ts';

function timestamp(text: string): number {
  if (!/^[1-9]\d{12}$/.test(text)) throw new InvalidArgumentError('A timestamp is milliseconds since 1970, 13 digits.');
  return Number(text);
}

export default (terminal: Terminal) =>
  accessCommand('sign', {
    summary: 'Print the headers of an upload, without the passphrase.',
    examples: [
      ['sign log.json', 'sign log.json with the current time'],
      ['sign log.json --timestamp 1763103201300', 'compare with the signature of another client'],
      ['sign log.json > headers', 'then: curl -H @headers -H "ACCESS-PASSPHRASE: …" --data-binary @log.json …'],
    ],
  })
    .argument('<file>', 'the log, JSON; - reads the standard input')
    .option('--timestamp <ms>', 'sign with this time instead of the current time', timestamp)
    .action(async (file, { timestamp: given, credentials, json }) => {
      const access = findAccess(terminal, { credentials });
      const { name, body } = await readLog(terminal, file);
      const { headers, timestamp: signedAt } = signRequest({ ...access, url: '' }, body, given ?? Date.now());
      const { 'ACCESS-PASSPHRASE': _, ...shown } = headers;

      if (json) await terminal.json(shown);
      else for (const [header, value] of Object.entries(shown)) await terminal.print(visible(`${header}: ${value}`));
      terminal.note(
        `Signed: ${signedAt}POST${UPLOAD_PATH} and the ${body.length} bytes of ${name}. The signature is valid for ${CLOCK_TOLERANCE_MS / 1000} s.`,
      );
      terminal.note('ACCESS-PASSPHRASE is not shown. Add it yourself.');
    });
