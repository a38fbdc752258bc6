import type { Entry } from '../../functions/ailog/entry.ts';
import { describeEntry, type EntryDescription } from '../entries/describeEntry.ts';
import { csvLine } from '../files/csv.ts';
import { bigintAsText } from '../text/json.ts';

interface EntryFormat {
  readonly header: string;
  readonly line: (entry: Entry, body: string | undefined) => string;
}

/** The columns of CSV before the body: the fields of a description, in its order. */
const COLUMNS = Object.keys(describeEntry({ uid: '', entryId: '' })) as (keyof EntryDescription)[];

/** A signature may begin with `+`, but it never does any harm in a spreadsheet. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The formats of an export. In JSON lines, the body is exactly the signed text, so that the export is enough to verify
 * the signature. CSV protects it as all free text.
 */
export const entryFormats = {
  jsonl: {
    header: '',
    line: (entry, body) => `${JSON.stringify({ ...describeEntry(entry, body), body: body ?? null }, bigintAsText)}\n`,
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
} as const satisfies Record<string, EntryFormat>;

/** The name of an export format. */
export type ExportFormat = keyof typeof entryFormats;
