import { resolve } from 'node:path';
import type { Entry } from '../../functions/ailog/entry.ts';
import { formatTlogProof, proveEntry, type StatementCounts, statementLines } from '../proof/evidence/statement.ts';
import { requireOwnLog } from '../proof/log/ownLog.ts';
import { requireNoFile } from '../shell/files/write.ts';
import { entryIds, uid } from '../shell/terminal/arguments.ts';
import { defineCommand } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { entriesReader } from '../store/entries/entriesReader.ts';
import { readPages } from '../store/entries/readPages.ts';
import { findEntry, periodOptions, readFilter, requireKnownUids } from '../store/entries/selectEntries.ts';
import { writeParts } from '../store/exports/exportFile.ts';
import { onTarget } from '../store/targets/target.ts';

export default defineCommand({
  words: 'statement',
  for: 'Reviewers',
  summary: 'Write everything that is needed to judge a team, or entries, offline into one file.',
  details: `It has the entries with their bodies, and a proof of the transparency log for each: facts only, no figures of the report. ailog verify checks it.
The exit code is 1 if an entry was changed since it was logged, is missing in the log, or is damaged.`,
  examples: [
    ['statement --uid 1001 -o alpha.statement', 'all entries of a team'],
    ['statement --uid 1001 --since 2025-11-17 -o alpha.statement', 'the entries signed since a day'],
    ['statement --entry 1763103201300-5b1c0f… -o entry.statement', 'one entry'],
    ['statement --entry 17631032 --entry 17631039 -o pair.statement', 'a copy with its original, of two teams'],
    [
      'statement --entry 1763103201300-5b1c0f… --tlog-proof -o entry.tlog-proof',
      'the proof of an entry, for other programs',
    ],
  ],
  options: {
    team: { flags: '--uid <uid>', help: 'the team', read: uid },
    ids: {
      flags: '--entry <entry>',
      help: 'an entry, by its id or the start of it (repeatable, also of several teams)',
      read: entryIds,
    },
    output: { flags: '-o, --output <file>', help: 'the file; it gets this name when it is complete', required: true },
    ...periodOptions,
    tlogProof: { flags: '--tlog-proof', help: 'with --entry: write a proof of C2SP tlog-proof instead' },
  },
  on: onTarget,
  async run({ team, ids = [], output, since, until, tlogProof }, { target, terminal, remark }) {
    const period = readFilter({ since, until });
    if (team === undefined && ids.length === 0) throw new Failure('usage', 'Give --uid UID or --entry ID.');
    if (ids.length > 0 && (since ?? until) !== undefined)
      throw new Failure('usage', '--since and --until select entries of a team: give them with --uid alone.');
    if (tlogProof && ids.length !== 1)
      throw new Failure('usage', '--tlog-proof is about one entry: give --entry once.');
    const path = resolve(terminal.cwd(), output);
    requireNoFile([path]);
    const uids = team === undefined ? undefined : [team];
    const log = await requireOwnLog(target);
    if (!log.checkpoint.quorum)
      remark('Too few witnesses cosigned the newest checkpoint, so nothing is proven. Try again in some minutes.');
    const counts: StatementCounts = { logged: 0, pending: 0, differs: 0, missing: 0, damaged: 0 };
    const found: Entry[] = [];
    for (const id of new Set(ids)) found.push(await findEntry(target, id, uids));
    // Two starts can name one entry.
    const named = [...new Map(found.map((entry) => [`${entry.uid} ${entry.entryId}`, entry])).values()];
    const [one] = named.sort((a, b) => (a.entryId < b.entryId ? -1 : 1));

    if (one && tlogProof) {
      const { status, index, proof } = await proveEntry(log, one);
      if (index === undefined || !proof) {
        const why = {
          pending: 'not in the log yet',
          differs: 'changed since it was stored',
          missing: 'not in the log',
        };
        throw new Failure('negative', `There is no proof of entry ${one.entryId}: it is ${why[status as 'missing']}.`, {
          advice: 'ailog logs show ENTRY says more.',
        });
      }
      counts.logged += 1;
      await writeParts(path, [formatTlogProof(index, proof, log.checkpoint.signed)]);
    } else {
      if (!one) await requireKnownUids(target, uids);
      const ofTeam = async function* (): AsyncGenerator<Entry> {
        for await (const { entries } of readPages(terminal, entriesReader(target), { ...period, uids })) yield* entries;
      };
      const lines = async function* () {
        yield* statementLines(log, one ? named : ofTeam(), counts);
        if (counts.logged + counts.pending + counts.differs + counts.missing > 0) return;
        const where = (since ?? until) === undefined ? '' : ' in this period';
        throw new Failure('negative', `There are no entries${where} to make a statement of.`, {
          advice: 'ailog logs list shows the entries of a team, ailog logs verify what is wrong with them.',
        });
      };
      await writeParts(path, lines());
    }
    const { pending, differs, missing, damaged } = counts;
    if (pending > 0) remark(`Not in the log yet, so without a proof: ${pending}.`);
    if (differs > 0) remark(`Changed since they were stored: ${differs}. ailog tlog audit names them.`);
    if (missing > 0) remark(`Missing in the log: ${missing}. ailog tlog audit names them.`);
    if (damaged > 0) remark(`Damaged: ${damaged}. ailog logs verify says what is wrong with them.`);
    if (differs + missing + damaged > 0) terminal.reportNegative();
    const entries = counts.logged + pending + differs + missing;
    return { entries, ...counts, size: log.checkpoint.size, file: output };
  },
  shows: ({ file, entries, logged }) => [
    { note: `Written to ${file}. Entries: ${entries}, in the transparency log: ${logged}.` },
  ],
});
