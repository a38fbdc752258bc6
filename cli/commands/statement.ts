import { resolve } from 'node:path';
import type { Entry } from '../../functions/ailog/entry.ts';
import {
  canBeStated,
  openStatementFile,
  STATEMENT_FORMAT,
  type StatementEntry,
  type StatementHeader,
} from '../proof/evidence/statement.ts';
import { placeFinder, rowKeysOf } from '../proof/inclusion/place.ts';
import { inclusionProver, type PublishedLog, requirePublishedLog } from '../proof/inclusion/publishedLog.ts';
import { requireNoFile } from '../shell/files/write.ts';
import { date, uid } from '../shell/terminal/arguments.ts';
import { defineCommand, type Surroundings } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { describeEntry, readBodyText } from '../store/entries/describeEntry.ts';
import { entriesReader } from '../store/entries/entriesReader.ts';
import type { EntryFilter } from '../store/entries/entryFilter.ts';
import { readPages } from '../store/entries/readPages.ts';
import { readFilter, requireKnownUids } from '../store/entries/selectEntries.ts';
import { onTarget, type Target } from '../store/targets/target.ts';

/** The team and the period of a statement. Times are in milliseconds since 1970. */
type Wanted = EntryFilter & { readonly uids: readonly [string] };

/** The failure of a statement without entries, which would show nothing. */
function noEntries({ uids: [team], since, until }: Wanted, damaged: number): Failure {
  const period = since === undefined && until === undefined ? '' : ' in this period';
  const others = damaged > 0 ? `, and ${damaged} that are damaged` : '';
  return new Failure('negative', `UID ${team} has no entries${period} to make a statement of${others}.`, {
    advice: 'ailog logs list --uid UID shows the entries of a team, ailog logs verify what is wrong with them.',
  });
}

/** Returns a function that describes an entry with its proof. */
function entryDescriber(log: PublishedLog) {
  const locate = placeFinder(log);
  const prove = inclusionProver(log, log.checkpoint);
  return async (entry: Entry): Promise<StatementEntry> => {
    const location = await locate(rowKeysOf(entry));
    const body = readBodyText(entry);
    const described = { ...describeEntry(entry, body), body: body ?? null };
    if (location.status !== 'logged') return { ...described, status: location.status, index: null, proof: null };
    const { status, entryHash, index } = location;
    const proof = await prove(entryHash, index);
    return { ...described, status, index, proof: proof.map((hash) => hash.toString('base64')) };
  };
}

/** Writes a statement. @returns what its entries are, and the size of the log that proves them */
async function writeStatement(terminal: Surroundings, target: Target, wanted: Wanted, path: string) {
  const isoOf = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());
  const log = await requirePublishedLog(target);
  const describe = entryDescriber(log);
  const header: StatementHeader = {
    format: STATEMENT_FORMAT,
    uid: wanted.uids[0],
    origin: log.origin,
    since: isoOf(wanted.since),
    until: isoOf(wanted.until),
    generatedAt: new Date(await target.now()).toISOString(),
    policy: log.policyText,
    checkpoint: log.signed,
  };
  /** Entries by their status, and those that are too damaged to be described. */
  const counts = { logged: 0, pending: 0, differs: 0, missing: 0, damaged: 0 };
  const file = openStatementFile(path);
  try {
    file.write(header);
    let entries = 0;
    const reader = entriesReader(target);
    for await (const page of readPages(terminal, reader, wanted)) {
      for (const entry of page.entries) {
        const line = await describe(entry);
        if (!canBeStated(line)) {
          counts.damaged += 1;
          continue;
        }
        counts[line.status] += 1;
        entries += 1;
        file.write(line);
      }
    }
    if (entries === 0) throw noEntries(wanted, counts.damaged);
    file.finish(entries);
    return { entries, ...counts, size: log.checkpoint.size };
  } finally {
    file.discard();
  }
}

export default defineCommand({
  words: 'statement',
  for: 'Reviewers',
  summary: 'Write everything that is needed to judge a team offline into one file.',
  details: `It has the team's entries with their bodies, and a proof of the transparency log for each: facts only, no figures of the report. ailog verify checks it.
The exit code is 1 if an entry was changed since it was logged, is missing in the log, or is damaged and left out.`,
  examples: [
    ['statement --uid 1001 -o alpha.statement', 'all entries of a team'],
    ['statement --uid 1001 --since 2025-11-17 -o alpha.statement', 'those signed since a day'],
  ],
  options: {
    uid: { flags: '--uid <uid>', help: 'the team', read: uid, required: true },
    output: {
      flags: '-o, --output <file>',
      help: 'the file; it gets this name when it is complete',
      required: true,
    },
    since: {
      flags: '--since <date>',
      help: 'only entries signed from this time on: 2025-11-14 or 2025-11-14T09:30:00Z, UTC',
      read: date,
    },
    until: { flags: '--until <date>', help: 'only entries signed before this time', read: date },
  },
  check: ({ since, until }) => void readFilter({ since, until }),
  on: onTarget,
  async run({ uid: team, output, since, until }, { target, terminal, remark }) {
    const path = resolve(terminal.cwd(), output);
    requireNoFile([path]);
    await requireKnownUids(target, [team]);
    const written = await writeStatement(terminal, target, { ...readFilter({ since, until }), uids: [team] }, path);
    const { pending, differs, missing, damaged } = written;
    if (pending > 0) remark(`Not in the log yet, and marked as pending: ${pending}.`);
    if (differs > 0) remark(`Changed since they were stored: ${differs}. ailog tlog audit names them.`);
    if (missing > 0) remark(`Missing in the log: ${missing}. ailog tlog audit names them.`);
    const advice = 'ailog logs verify says what is wrong with them.';
    if (damaged > 0) remark(`Left out, because they are damaged: ${damaged}. ${advice}`);
    if (differs + missing + damaged > 0) terminal.reportNegative();
    return { uid: team, ...written, file: output };
  },
  shows: ({ file, entries, logged }) => [
    { note: `Written to ${file}. Entries: ${entries}, in the transparency log: ${logged}.` },
  ],
});
