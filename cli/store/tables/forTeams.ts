import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shortLog } from '../../../infra/openapi/exampleLog.ts';
import { createFile, makeFolder, replaceFile } from '../../shell/files/write.ts';
import type { Target } from '../targets/target.ts';

/** The page for all teams, in the folder with their credentials. It has no secrets, so it can be sent by mail. */
export const PAGE = 'README.txt';

type Addresses = Pick<Target, 'baseUrl' | 'tlogUrl'>;

const formatPage = ({ baseUrl, tlogUrl }: Addresses) => `AI log upload: how to begin

Service     ${baseUrl ?? 'see AILOG_URL in your credentials'}
Public log  ${tlogUrl ?? 'ask the organisers'}

1. Save your credentials, here called team.env, and the files beside this page,
   which are for all teams, in a folder of their own. Only your team may see
   team.env: who has it can upload in your name. Tell the organisers at once if
   somebody else may have seen it.

     chmod 600 team.env

2. Check the credentials. Node 20.12 or later is enough; nothing is stored.

     node ailog.mjs doctor --credentials team.env

3. Upload a first log. Save this line as log.json:

     ${JSON.stringify(shortLog)}

     node ailog.mjs upload log.json --credentials team.env

   It prints "stored" and the id of the entry. This log stays in the record,
   like every other one: nothing that is stored can be taken back. Your own
   program can upload too: clients/ has whole clients in Python, TypeScript and
   Go, teams.md the rules, and every error with what to do.

4. Keep ailog-results.jsonl: the receipts in it prove what you uploaded. Check
   them with the public keys in tlog.policy:

     node ailog.mjs verify ailog-results.jsonl --policy tlog.policy

   From two minutes after an upload on, add --log and the address of the public
   log above to the command: then it also checks that the entries are there.
`;

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

const PAGES = ['teams.md', 'proof.md'];
const COPIED = ['clients', 'openapi.json', ...PAGES];

/** Leaves out the links to pages that teams do not get: their texts stay. */
const withoutOtherPages = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)#:]+)(#[^)]*)?\)/g, (link, label: string, path: string) =>
    COPIED.includes(path.split('/')[0] as string) ? link : label,
  );

/** Writes what is for all teams to a folder. A page that is there stays as it is; of the others, the newest counts. */
export function writeForTeams(folder: string, target: Addresses): void {
  createFile(join(folder, PAGE), formatPage(target));
  for (const name of PAGES) replaceFile(join(folder, name), withoutOtherPages(readFileSync(join(DOCS, name), 'utf8')));
  replaceFile(join(folder, 'openapi.json'), readFileSync(join(DOCS, 'openapi.json')));
  for (const part of ['clients', 'clients/receipts']) {
    makeFolder(join(folder, part));
    for (const file of readdirSync(join(DOCS, part), { withFileTypes: true })) {
      if (file.isFile()) replaceFile(join(folder, part, file.name), readFileSync(join(DOCS, part, file.name)));
    }
  }
}

/** The files that the page names and organisers make with a program, and how they make them. */
const MADE = {
  'ailog.mjs': 'npm run pack:cli, then copy dist/ailog.mjs',
  'tlog.policy': 'ailog tlog export-policy -o tlog.policy',
} as const;

/** Returns what a folder lacks that the page names, each with how to get it. */
export const missingForTeams = (folder: string) =>
  Object.entries(MADE).filter(([name]) => !existsSync(join(folder, name)));
