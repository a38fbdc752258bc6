import type { Entry } from '../../functions/ailog/entry.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { createCredentialStore } from '../../functions/auth/credentialStore.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { entryVerifier, holds } from '../data/verifyEntry.ts';
import { type Target, withTarget } from '../target.ts';
import { entryId, uid } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { prettyJson } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeEntry } from './describeEntry.ts';
import { readBodyText } from './entryFormats.ts';

/** Finds an entry. Without a UID, it takes two small reads per UID. @throws Failure if there is none */
async function findEntry(target: Target, entryId: string, owner: string | undefined): Promise<Entry> {
  const reader = entriesReader(target.db, target.tables.aiLogs);
  for await (const candidate of owner === undefined ? reader.uids() : [owner]) {
    const entry = await reader.get({ uid: candidate, entryId });
    if (entry) return entry;
  }
  const whose = owner === undefined ? '' : ` of UID ${owner}`;
  throw new Failure('negative', `There is no entry ${entryId}${whose}.`, {
    advice: 'ailog logs list shows the newest entries. The header AI-LOG-ID of an upload is its entry id.',
  });
}

export const showEntry = (terminal: Terminal) =>
  targetCommand('show', {
    summary: 'Show one entry with its body, and verify its digest and signature.',
    examples: [
      ['logs show 1763103201300-5b1c0f…', 'by the id that the upload returned'],
      ['logs show 1763103201300-5b1c0f… --uid 1001', 'faster if there are many teams'],
    ],
  })
    .argument('<entry>', 'the entry id', entryId)
    .option('--uid <uid>', 'the UID it belongs to', uid)
    .action(async (id, { uid: owner, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entry = await findEntry(target, id, owner);
        const apiKeys = apiKeysTable(target.db, target.tables.apiKeys);
        const verdict = await entryVerifier({ apiKeys, credentialStore: createCredentialStore(target.decrypt) })(entry);
        if (!holds(verdict)) terminal.reportNegative();
        const body = readBodyText(entry);
        const facts = describeEntry(entry);
        if (json) return terminal.json({ ...facts, body: body ?? null, checks: verdict });

        const checks = Object.entries(verdict).map(([name, finding]) => [`${name} check`, finding] as const);
        await terminal.facts({ ...facts, ...Object.fromEntries(checks) });
        await terminal.print(`\n${body === undefined ? 'The body is damaged.' : prettyJson(body)}`);
      }),
    );
