import type { Entry } from '../../../functions/ailog/entry.ts';
import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { csvLine } from '../../shell/text/csvLine.ts';
import { bigintAsText } from '../../shell/text/json.ts';
import { describeEntry, type EntryDescription, entryTextOf, readBodyText } from '../entries/describeEntry.ts';
import { timeKey } from '../entries/entryFilter.ts';

/** The columns of CSV before the body: the fields of a description, in its order. */
const COLUMNS = Object.keys(describeEntry({ uid: '', entryId: '' })) as (keyof EntryDescription)[];

/** A signature may begin with `+`, but it never does any harm in a spreadsheet. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

/** The formats of an export. `ailog verify` reads JSON lines, which have `entry` and `body` verbatim. */
export const entryFormats = {
  jsonl: {
    header: '',
    line: (entry, body) => {
      const members = { ...describeEntry(entry, body), entry: entryTextOf(entry) ?? null, body: body ?? null };
      return `${JSON.stringify(members, bigintAsText)}\n`;
    },
  },
  csv: {
    header: csvLine([...COLUMNS, 'body']),
    line: (entry, body) => {
      const facts = describeEntry(entry, body);
      const cells = COLUMNS.map((column) => {
        const cell = String(facts[column] ?? '');
        return column === 'signature' && SIGNATURE.test(cell) ? cell : { freeText: cell };
      });
      return csvLine([...cells, { freeText: body ?? '' }]);
    },
  },
} as const satisfies Record<string, { header: string; line: (entry: Entry, body: string | undefined) => string }>;

export type ExportFormat = keyof typeof entryFormats;

export interface ExportCounts {
  entries: number;
  damaged: number;
  /** Entries without a time of receipt. Only a write past the service can have removed it. */
  untimed: number;
  /** Entries that arrived after the export began. They are not exported: which ones got in would depend on timing. */
  late: number;
}

export const NO_COUNTS: Readonly<ExportCounts> = { entries: 0, damaged: 0, untimed: 0, late: 0 };

/** The number of characters after which a part ends. The bodies of a page can have a gigabyte in total. */
const PART_CHARACTERS = 4 * 1024 * 1024;

/** Returns true if an entry arrived after the export began. The entry id must agree: nothing proves `receivedAt`. */
const isLate = ({ receivedAt, entryId }: Entry, began: number): boolean =>
  receivedAt > began && entryId >= timeKey(began - CLOCK_TOLERANCE_MS);

/** Yields the records of a page as text, in parts, without late ones. @param began ms @param counts is added to */
export function* exportPage(entries: readonly Entry[], format: ExportFormat, began: number, counts: ExportCounts) {
  let records = '';
  for (const entry of entries) {
    if (isLate(entry, began)) {
      counts.late += 1;
      continue;
    }
    const body = readBodyText(entry);
    records += entryFormats[format].line(entry, body);
    counts.entries += 1;
    if (body === undefined) counts.damaged += 1;
    if (!Number.isSafeInteger(entry.receivedAt)) counts.untimed += 1;
    if (records.length < PART_CHARACTERS) continue;
    yield records;
    records = '';
  }
  yield records;
}
