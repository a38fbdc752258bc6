import type { Entry } from '../../../functions/ailog/entry.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { describeEntry, readBodyText } from '../entries/describeEntry.ts';
import type { entriesReader } from '../entries/entriesReader.ts';
import { type EntryFilter, keyText } from '../entries/entryFilter.ts';
import { readPages } from '../entries/readPages.ts';
import { entryOf, type Finding, type Verdict } from '../entries/verifyContent.ts';
import type { entryVerifier } from '../entries/verifyEntry.ts';
import { type ExportRecord, readExport } from './readExport.ts';

/** The result of one record of an export, or of an entry that the export lacks. */
export interface ExportFinding {
  readonly uid: string;
  readonly entryId: string;
  /** The line of the record in the file; absent for an entry that the file lacks. */
  readonly line?: number;
  readonly checks: Partial<Verdict> & { readonly table: Finding };
}

/** The counts that only the comparison with the table can give. */
export interface ExportTally {
  missing: number;
  extra: number;
  different: number;
  /** Entries that arrived after the last one of the file. */
  later: number;
}

/** Names the fields of a record that differ from the entry in the table. */
function differences(fields: Readonly<Record<string, string | null>>, stored: Entry): string[] {
  const body = readBodyText(stored);
  const expected = { ...describeEntry(stored, body), body: body ?? null };
  return Object.entries(expected)
    .filter(([name, value]) => (fields[name] ?? '') !== String(value ?? ''))
    .map(([name]) => name);
}

export interface VerifyContext {
  readonly terminal: Terminal;
  readonly reader: ReturnType<typeof entriesReader>;
  readonly verify: ReturnType<typeof entryVerifier>;
}

/** Verifies one record, and compares it with the entry in the table. Returns that entry too. */
async function verifyRecord(
  { reader, verify }: VerifyContext,
  { line, fields }: ExportRecord,
  seen: Set<string>,
): Promise<{ finding: ExportFinding; stored?: Entry }> {
  const uid = fields?.uid ?? '';
  const entryId = fields?.entryId ?? '';
  if (fields === undefined || uid === '' || entryId === '') {
    return { finding: { uid, entryId, line, checks: { table: 'wrong: this line is not an entry' } } };
  }
  const stored = await reader.get({ uid, entryId });
  // A record without a body throws there, as a damaged one does.
  const verdict = await verify(entryOf(fields), () => Buffer.from(fields.body as string));
  const different = stored ? differences(fields, stored) : [];
  const key = keyText({ uid, entryId });
  let table: Finding = 'ok';
  if (stored === undefined) table = 'wrong: not in the table';
  else if (different.length > 0) table = `wrong: different ${different.join(', ')}`;
  else if (seen.has(key)) table = 'wrong: repeated in the file';
  seen.add(key);
  return { finding: { uid, entryId, line, checks: { ...verdict, table } }, ...(stored && { stored }) };
}

/**
 * Verifies an export that was handed in: each of its records, then which entries of the table it lacks, of those that
 * the filter selects; without UIDs, those of the UIDs in the file.
 * @param tally is filled in on the way @throws Failure if the file is not an export
 */
export async function* verifyExport(context: VerifyContext, path: string, filter: EntryFilter, tally: ExportTally) {
  const seen = new Set<string>();
  const uids = new Set<string>();
  let lastReceived = Number.NEGATIVE_INFINITY;
  for await (const record of readExport(path)) {
    const { finding, stored } = await verifyRecord(context, record, seen);
    if (finding.uid !== '') uids.add(finding.uid);
    // The time in the table, because that of the record may have been altered.
    if (stored && stored.receivedAt > lastReceived) lastReceived = stored.receivedAt;
    if (finding.checks.table.startsWith('wrong: different')) tally.different += 1;
    else if (finding.checks.table !== 'ok') tally.extra += 1;
    yield finding;
  }
  const { terminal, reader } = context;
  const compared = { ...filter, uids: filter.uids ?? [...uids] };
  for await (const { entries } of readPages(terminal, reader, compared, { quiet: true })) {
    for (const { uid, entryId, receivedAt } of entries) {
      if (seen.has(keyText({ uid, entryId }))) continue;
      // The team may have uploaded more since. With --until, the reviewer says how far the file should reach.
      if (filter.until === undefined && receivedAt > lastReceived) tally.later += 1;
      else {
        tally.missing += 1;
        yield { uid, entryId, checks: { table: 'wrong: missing in the file' as const } };
      }
    }
  }
}
