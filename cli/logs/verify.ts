import type { Entry } from '../../functions/ailog/entry.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { createCredentialStore } from '../../functions/auth/credentialStore.ts';
import { entriesReader } from '../data/entriesReader.ts';
import { entryVerifier, holds, type Verdict } from '../data/verifyEntry.ts';
import { withTarget } from '../target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { entryCommand, readFilter } from './entryCommand.ts';
import { readPages } from './readPages.ts';

/** Formats the result of one entry. */
const formatVerdict = ({ uid, entryId }: Entry, verdict: Verdict): string => {
  const findings = Object.entries(verdict).map(([name, finding]) => `${name} ${finding}`);
  return `${holds(verdict) ? 'ok    ' : 'FAILED'}  ${uid}  ${entryId}  ${findings.join(', ')}`;
};

export const verifyEntries = (terminal: Terminal) =>
  entryCommand('verify', {
    summary: 'Verify digest, fields and signature of every entry. The exit code is 1 if an entry fails.',
    examples: [
      ['logs verify', 'verify all entries'],
      ['logs verify --uid 1001 --json', 'verify the entries of one team, as JSON'],
    ],
  }).action(async ({ json, ...options }) => {
    const filter = readFilter(options);
    await withTarget(terminal, options, async (target) => {
      const reader = entriesReader(target.db, target.tables.aiLogs);
      const verify = entryVerifier({
        apiKeys: apiKeysTable(target.db, target.tables.apiKeys),
        credentialStore: createCredentialStore(target.decrypt),
      });
      const counts = { entries: 0, failed: 0, unsigned: 0 };
      const verdicts = async function* (): AsyncGenerator<readonly [Entry, Verdict]> {
        for await (const { entries } of readPages(terminal, reader, filter, { quiet: true })) {
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
      else for await (const [entry, verdict] of verdicts()) await terminal.print(formatVerdict(entry, verdict));

      if (counts.failed > 0) terminal.reportNegative();
      if (counts.entries === 0) return terminal.note('No entry matches.');
      const unsigned = counts.unsigned === 0 ? '' : `; signature not checked: ${counts.unsigned}`;
      terminal.note(`Checked: ${counts.entries}, failed: ${counts.failed}${unsigned}.`);
    });
  });
