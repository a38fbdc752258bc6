import { resolve } from 'node:path';
import type { Entry } from '../../../functions/ailog/entry.ts';
import {
  openStatementFile,
  STATEMENT_FORMAT,
  type StatementEntry,
  type StatementHeader,
} from '../../proof/evidence/statement.ts';
import { entryFinder } from '../../proof/inclusion/entryFinder.ts';
import { inclusionProver } from '../../proof/inclusion/inclusionProver.ts';
import { rowKeysOf, rowLocator } from '../../proof/inclusion/locateEntry.ts';
import { type PublishedLog, requirePublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { isoTime } from '../../review/figures/figures.ts';
import { openReview, WITHIN_MS } from '../../review/figures/openReview.ts';
import { withReviewedRows } from '../../review/figures/reviewedRows.ts';
import type { TeamReport } from '../../review/figures/reviewTeams.ts';
import { noCache } from '../../review/rows/openRows.ts';
import { requireNoFile } from '../../shell/files/write.ts';
import { date, uid } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { quoted } from '../../store/duckdb/duckdb.ts';
import { describeEntry, readBodyText } from '../../store/entries/describeEntry.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readFilter } from '../../store/entries/entryCommand.ts';
import { type EntryFilter, keyMatches } from '../../store/entries/entryFilter.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { requireKnownUids } from '../../store/entries/requireKnownUids.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

/** The team and the period of a statement. Times are in milliseconds since 1970. */
type Wanted = EntryFilter & { readonly uids: readonly [string] };

/** Reviews the team. Reads the ids of its entries, and counts those that are too damaged to be described. */
async function reviewTeam(terminal: Terminal, target: Target, wanted: Wanted, cache: boolean) {
  const { uids, since, until } = wanted;
  const asked = { uids, within: WITHIN_MS, since, until, ownUid: uids[0] };
  return withReviewedRows(terminal, target, { sync: true, cache }, async (rows) => {
    const { period, teams } = await openReview(terminal, target, rows, asked);
    const ids = new Set<string>();
    const query = `SELECT entry_id FROM logs WHERE counts AND uid = ${quoted(uids[0])}`;
    for await (const { entry_id } of rows.engine.read<{ entry_id: string }>(query)) ids.add(entry_id);
    return {
      ids,
      damaged: rows.problems.filter((one) => one.hasRow !== true && keyMatches(one, wanted)).length,
      figures: {
        period: { from: new Date(period.from).toISOString(), until: new Date(period.until).toISOString() },
        ...(teams[0] as TeamReport),
      },
    };
  });
}

/** The failure of a statement without entries, which would show nothing. */
function noEntries({ uids: [team], since, until }: Wanted, damaged: number): Failure {
  const period = since === undefined && until === undefined ? '' : ' in this period';
  const others = damaged > 0 ? `, and ${damaged} that are damaged` : '';
  return new Failure('negative', `UID ${team} has no entries${period} to make a statement of${others}.`, {
    advice: 'ailog logs list --uid UID shows the entries of a team, ailog logs verify what is wrong with them.',
  });
}

/** Creates a lookup of the description of an entry with its proof. */
function entryDescriber(log: PublishedLog) {
  const locate = rowLocator(log, entryFinder(log));
  const prove = inclusionProver(log);
  return async (entry: Entry): Promise<StatementEntry> => {
    const location = await locate(rowKeysOf(entry));
    const isLogged = location.status === 'logged';
    const body = readBodyText(entry);
    const proof = isLogged ? await prove(location.entryHash, location.index) : undefined;
    return {
      ...describeEntry(entry, body),
      body: body ?? null,
      status: location.status,
      index: isLogged ? location.index : null,
      proof: proof?.map((hash) => hash.toString('base64')) ?? null,
    };
  };
}

export default (terminal: Terminal) =>
  targetCommand('statement', {
    summary: `Write everything that is needed to judge a team offline into one file: its entries with their bodies, a proof of the transparency log for each, and its figures of the report. ailog verify checks it.
The exit code is 1 if an entry was changed since it was logged, is missing in the log, or is damaged and left out.`,
    examples: [
      ['statement --uid 1001 -o alpha.statement', 'all entries of a team'],
      ['statement --uid 1001 --since 2025-11-17 -o alpha.statement', 'those signed since a day'],
    ],
  })
    .requiredOption('--uid <uid>', 'the team', uid)
    .requiredOption('-o, --output <file>', 'the file; it gets this name when it is complete')
    .option(
      '--since <date>',
      'only entries signed at or after this time: 2025-11-14 or 2025-11-14T09:30:00Z, UTC',
      date,
    )
    .option('--until <date>', 'only entries signed before this time', date)
    .addOption(noCache())
    .action(async ({ uid: team, output, since, until, cache, json, ...where }) => {
      const wanted: Wanted = { ...readFilter({ since, until }), uids: [team] };
      const path = resolve(terminal.cwd(), output);
      requireNoFile([path]);
      await withTarget(terminal, where, async (target) => {
        await requireKnownUids(target, [team]);
        const { ids, damaged, figures } = await reviewTeam(terminal, target, wanted, cache);
        if (ids.size === 0) throw noEntries(wanted, damaged);
        // Read after the entries, so that it has as many of them as possible.
        const log = await requirePublishedLog(target);
        const describe = entryDescriber(log);
        const header: StatementHeader = {
          format: STATEMENT_FORMAT,
          uid: team,
          origin: log.origin,
          since: isoTime(since),
          until: isoTime(until),
          generatedAt: new Date(await target.now()).toISOString(),
          policy: log.policyText,
          checkpoint: log.signed,
          figures,
          entries: ids.size,
        };
        const counts = { logged: 0, pending: 0, differs: 0, missing: 0 };
        const file = openStatementFile(path);
        try {
          file.write(header);
          const reader = entriesReader(target.db, target.tables.aiLogs);
          for await (const { entries } of readPages(terminal, reader, wanted)) {
            for (const entry of entries) {
              // Uploaded since the review: the figures do not count it.
              if (!ids.delete(entry.entryId)) continue;
              const line = await describe(entry);
              counts[line.status] += 1;
              file.write(line);
            }
          }
          const [deleted] = ids;
          if (deleted !== undefined) {
            const message = `The entry ${deleted} disappeared while the statement was written: it expired or was deleted.`;
            throw new Failure('negative', message, { advice: 'Run the command again to leave it out.' });
          }
          file.finish(header.entries);
        } finally {
          file.discard();
        }

        const { size } = log.checkpoint;
        if (json) await terminal.json({ uid: team, entries: header.entries, ...counts, damaged, size, file: output });
        else
          terminal.note(`Written to ${output}. Entries: ${header.entries}, in the transparency log: ${counts.logged}.`);
        if (counts.pending > 0) terminal.note(`Not in the log yet, and marked as pending: ${counts.pending}.`);
        if (counts.differs > 0)
          terminal.note(`Changed since they were stored: ${counts.differs}. ailog tlog audit names them.`);
        if (counts.missing > 0) terminal.note(`Missing in the log: ${counts.missing}. ailog tlog audit names them.`);
        if (damaged > 0)
          terminal.note(
            `Left out, because they are damaged: ${damaged}. ailog logs verify says what is wrong with them.`,
          );
        if (counts.differs + counts.missing + damaged > 0) terminal.reportNegative();
      });
    });
