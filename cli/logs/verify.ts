import type { Entry } from '../../functions/ailog/entry.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { createCredentialStore } from '../../functions/auth/credentialStore.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { entryVerifier, holds, type Verdict } from '../data/verifyEntry.ts';
import { withTarget } from '../target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entryCommand, filterOf } from './entryCommand.ts';
import { everyPage } from './everyPage.ts';

/** One line on one entry. */
const lineOf = ({ uid, entryId }: Entry, verdict: Verdict): string => {
  const findings = Object.entries(verdict).map(([name, finding]) => `${name} ${finding}`);
  return `${holds(verdict) ? 'ok    ' : 'FAILED'}  ${uid}  ${entryId}  ${findings.join(', ')}`;
};

export const verifyEntries = (terminal: Terminal) =>
  entryCommand('verify', {
    summary:
      'Check every entry: digest, fields, and the signature where its key still exists. Exit code 1 if any fails.',
    examples: [
      ['logs verify', 'all of them, a line each'],
      ['logs verify --uid 1001 --json', 'those of one team, for a program'],
    ],
  }).action(async ({ json, ...options }) => {
    const filter = filterOf(options);
    await withTarget(terminal, options, async (target) => {
      const reader = entriesReader(target.db, target.tables.aiLogs);
      const verify = entryVerifier({
        apiKeys: apiKeysTable(target.db, target.tables.apiKeys),
        credentialStore: createCredentialStore(target.decrypt),
      });
      const counts = { entries: 0, failed: 0, unsigned: 0 };
      const verdicts = async function* (): AsyncGenerator<readonly [Entry, Verdict]> {
        for await (const { entries } of everyPage(terminal, reader, filter, { quiet: true })) {
          for (const entry of entries) {
            const verdict = await verify(entry);
            counts.entries += 1;
            if (!holds(verdict)) counts.failed += 1;
            if (verdict.signature.startsWith('not checked')) counts.unsigned += 1;
            yield [entry, verdict];
          }
        }
      };
      const described = async function* () {
        for await (const [{ uid, entryId }, checks] of verdicts()) yield { uid, entryId, ok: holds(checks), checks };
      };
      if (json) await terminal.jsonArray(described());
      else for await (const [entry, verdict] of verdicts()) await terminal.print(lineOf(entry, verdict));

      if (counts.failed > 0) terminal.reportNegative();
      if (counts.entries === 0) return terminal.note('No entry matches.');
      const unsigned = counts.unsigned === 0 ? '' : `; signature not checked: ${counts.unsigned}`;
      terminal.note(`Checked: ${counts.entries}, failed: ${counts.failed}${unsigned}.`);
    });
  });
