import { resolve } from 'node:path';
import type { Entry } from '../../functions/ailog/entry.ts';
import { apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { createCredentialStore } from '../../functions/auth/credentialStore.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { entryCommand, readFilter } from '../entries/entryCommand.ts';
import type { EntryFilter } from '../entries/entryFilter.ts';
import { noteNoMatch } from '../entries/noteNoMatch.ts';
import { readEntries } from '../entries/readEntries.ts';
import { requireKnownUids } from '../entries/requireKnownUids.ts';
import { holds, isUnchecked, type Verdict } from '../entries/verdict.ts';
import type { ContentFindings } from '../entries/verifyContent.ts';
import { entryVerifier } from '../entries/verifyEntry.ts';
import { entriesOf, type ReadEntry, type VerifyPart } from '../entries/verifyPart.ts';
import { type ExportTally, verifyExport } from '../exports/verifyExport.ts';
import {
  describeLocation,
  formatLocation,
  formatPlaces,
  isContradicted,
  noPlaces,
} from '../inclusion/describeLocation.ts';
import { type Location, openLocator, type RowKeys, rowKeysOf } from '../inclusion/locateEntry.ts';
import type { PublishedLog } from '../inclusion/publishedLog.ts';
import { type Target, withTarget } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../text/visible.ts';

interface Result {
  readonly uid: string;
  readonly entryId: string;
  /** The line in the file, with --file. */
  readonly line?: number;
  readonly checks: Partial<Verdict>;
  /** The place of the entry in the transparency log. Absent with --file, and if there is no log. */
  readonly place?: Location | undefined;
}

type Log = Pick<PublishedLog, 'head' | 'checkpoint'>;

/** Returns true if every check holds, or was not made, and the transparency log does not contradict the entry. */
const isRight = ({ checks, place }: Result): boolean => holds(checks) && !(place && isContradicted(place));

function formatResult(result: Result, log: Log | undefined): string {
  const { uid, entryId, line, checks, place } = result;
  const findings = Object.entries(checks).map(([name, finding]) => `${name} ${finding}`);
  if (place && log) findings.push(`transparency log ${formatLocation(place, log)}`);
  const outcome = !isRight(result) ? 'FAILED' : isUnchecked(checks) ? 'PARTLY' : 'ok    ';
  const where = line === undefined || holds(checks) ? '' : `  line ${line}`;
  return visible(`${outcome}  ${uid}  ${entryId}${where}  ${findings.join(', ')}`);
}

/** Returns the body that a worker read. @throws Error if the stored body is damaged */
const bodyFrom =
  ({ read }: ReadEntry) =>
  (): Buffer => {
    if (read === undefined) throw new Error('The stored body is damaged');
    return read.body;
  };

async function* verifyTable(
  terminal: Terminal,
  target: Target,
  { verify }: ReturnType<typeof contextOf>,
  filter: EntryFilter,
  locate: ((row: RowKeys) => Promise<Location | undefined>) | undefined,
): AsyncGenerator<Result> {
  const work = { task: import.meta.resolve('../entries/verifyPart.ts'), options: undefined, quiet: true };
  for await (const { part } of readEntries<undefined, VerifyPart>(terminal, target, filter, work)) {
    for (const one of entriesOf(part)) {
      const entry = one.entry as Entry;
      const { uid, entryId } = entry;
      const checks = await verify(entry, bodyFrom(one), () => one.read?.content as ContentFindings);
      yield { uid, entryId, checks, place: await locate?.(rowKeysOf(entry)) };
    }
  }
}

const contextOf = ({ db, tables, decrypt }: Target) => ({
  reader: entriesReader(db, tables.aiLogs),
  verify: entryVerifier({ apiKeys: apiKeysTable(db, tables.apiKeys), credentialStore: createCredentialStore(decrypt) }),
});

const formatTally = ({ missing, extra, different, later }: ExportTally) =>
  [
    `Compared with the table: ${missing} missing in the file, ${extra} extra, ${different} different.`,
    ...(later > 0
      ? [
          `Received after the last entry of the file, and not counted as missing: ${later}. --until sets where the file should end.`,
        ]
      : []),
  ].join('\n');

export default (terminal: Terminal) =>
  entryCommand('verify', {
    summary:
      'Verify digest, fields, signature and time of every entry, or of every entry in an export. The exit code is 1 if an entry fails, and 5 if none fails but one could not be checked. An entry fails too if it was changed since it was put into the transparency log. Only the transparency log covers locale and sourceIp, and nothing expiresAt.',
    examples: [
      ['logs verify', 'verify all entries'],
      ['logs verify --uid 1001 --json', 'verify the entries of one team, as JSON'],
      ['logs verify --file alpha.jsonl', 'verify an export, and compare it with the table'],
    ],
  })
    .option(
      '--file <file>',
      'verify this export, JSON lines or CSV, and name entries that it lacks or that are not in the table',
    )
    .action(async ({ json, file, ...options }) => {
      const filter = readFilter(options);
      await withTarget(terminal, options, async (target) => {
        await requireKnownUids(target, filter.uids);
        const context = contextOf(target);
        const tally: ExportTally = { missing: 0, extra: 0, different: 0, later: 0 };
        const opened = file === undefined ? await openLocator(terminal, target) : undefined;
        const results: AsyncGenerator<Result> =
          file === undefined
            ? verifyTable(terminal, target, context, filter, opened?.locate)
            : verifyExport({ terminal, ...context }, resolve(terminal.cwd(), file), filter, tally);
        const counts = { entries: 0, failed: 0, unchecked: 0 };
        const places = noPlaces();
        const counted = async function* (): AsyncGenerator<Result> {
          for await (const result of results) {
            counts.entries += 1;
            if (!isRight(result)) counts.failed += 1;
            else if (isUnchecked(result.checks)) counts.unchecked += 1;
            if (result.place) places[result.place.status] += 1;
            yield result;
          }
        };
        const described = async function* () {
          for await (const result of counted()) {
            const { checks, place, ...rest } = result;
            const tlog = opened && place && { tlog: describeLocation(place, opened.log) };
            yield { ...rest, ok: isRight(result) && !isUnchecked(checks), checks, ...tlog };
          }
        };
        if (json) await terminal.jsonArray(described());
        else for await (const result of counted()) await terminal.print(formatResult(result, opened?.log));

        if (counts.failed > 0) terminal.reportNegative();
        if (counts.unchecked > 0) terminal.reportUnchecked();
        if (counts.entries === 0) return noteNoMatch(terminal, context.reader, filter);
        terminal.note(`Checked: ${counts.entries}, failed: ${counts.failed}, not checked: ${counts.unchecked}.`);
        if (opened) terminal.note(formatPlaces(places));
        if (file !== undefined) terminal.note(formatTally(tally));
      });
    });
