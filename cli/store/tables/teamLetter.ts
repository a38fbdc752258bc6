import { basename } from 'node:path';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { shortLog } from '../../../infra/openapi/exampleLog.ts';
import { visible } from '../../shell/text/visible.ts';

/** `file`: the path of the credentials file; `contact`: whom to ask, such as a mail address or a channel. */
type About = Readonly<Record<'team' | 'url' | 'log' | 'contact', string | undefined> & { file: string }>;

/** Returns the letter that goes to a team with its credentials file. It has no secrets, so it can be sent by mail. */
export function formatTeamLetter({ uid, accessKey, expiresAt }: ApiKey, { team, url, log, file, contact }: About) {
  const credentials = basename(file);
  const ask = contact === undefined ? 'Ask the organisers who sent you this letter.' : `Ask ${visible(contact)}.`;
  return `AI log upload: your credentials

Team        ${visible(team ?? '-')}
UID         ${uid}
Access key  ${accessKey}
Valid       ${expiresAt === undefined ? 'until the organisers revoke it' : `until ${expiresAt}`}
Service     ${url ?? 'see the credentials file'}
Public log  ${log ?? 'ask the organisers'}

1. Save ${credentials} and the files beside it, which are for all teams, in a
   folder of their own: ailog.mjs, tlog.policy, clients.md and errors.md. Only
   your team may see ${credentials}: who has it can upload in your name.

     chmod 600 ${credentials}

2. Check the credentials. Node 20.12 or later is enough; nothing is stored.

     node ailog.mjs doctor --credentials ${credentials}

3. Upload a first log. Save this line as log.json:

     ${JSON.stringify(shortLog)}

     node ailog.mjs upload log.json --credentials ${credentials}

   It prints "stored" and the id of the entry. This log stays in the record,
   like every other one: nothing that is stored can be taken back. Your own
   program can upload too: clients/ has whole clients in Python, TypeScript and
   Go, clients.md their rules, errors.md every error and what to do.

4. Keep ailog-results.jsonl: the receipts in it prove what you uploaded. Check
   them with the public keys in tlog.policy:

     node ailog.mjs verify ailog-results.jsonl --policy tlog.policy

   From two minutes after an upload on, add --log and the address of the public
   log above to the command: then it also checks that the entries are there.

Questions? ${ask}
Tell them at once if somebody else may have seen ${credentials}.
`;
}
