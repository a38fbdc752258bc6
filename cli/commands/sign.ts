import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { WrongArgument } from '../shell/terminal/arguments.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { visible } from '../shell/text/visible.ts';
import { onKey } from '../upload/access.ts';
import { signRequest } from '../upload/attempt.ts';
import { readLog } from '../upload/readLog.ts';

function timestamp(text: string): number {
  if (!/^[1-9]\d{12}$/.test(text)) throw new WrongArgument('A timestamp is milliseconds since 1970, 13 digits.');
  return Number(text);
}

export default defineCommand({
  words: 'sign',
  for: 'Teams',
  summary: 'Print the headers of an upload, without the passphrase.',
  examples: [
    ['sign log.json', 'sign log.json with the current time'],
    ['sign log.json --timestamp 1763103201300', 'compare with the signature of another client'],
    ['sign log.json > headers', 'then: curl -H @headers -H "ACCESS-PASSPHRASE: …" --data-binary @log.json …'],
  ],
  args: { file: { name: '<file>', help: 'the log, JSON; - reads the standard input' } },
  options: {
    timestamp: { flags: '--timestamp <ms>', help: 'sign with this time instead of the current time', read: timestamp },
  },
  on: onKey,
  async run({ file, timestamp: given }, { access, terminal, remark }) {
    const { name, body } = await readLog(terminal, file);
    const { headers, timestamp: signedAt } = signRequest({ ...access, url: '' }, body, given ?? Date.now());
    const { 'ACCESS-PASSPHRASE': _, ...shown } = headers;
    remark(
      `Signed: ${signedAt}POST${UPLOAD_PATH} and the ${body.length} bytes of ${name}. The signature is valid for ${CLOCK_TOLERANCE_MS / 1000} s.`,
    );
    remark('ACCESS-PASSPHRASE is not shown. Add it yourself.');
    return shown;
  },
  shows: (headers) => Object.entries(headers).map(([name, value]) => visible(`${name}: ${value}`)),
});
