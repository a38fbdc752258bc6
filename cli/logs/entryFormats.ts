import type { Entry } from '../../functions/ailog/entry.ts';
import { bodyOf } from '../data/bodyOf.ts';
import { csvLine } from '../terminal/csv.ts';
import { describeEntry } from './describeEntry.ts';

/** A format of an export: a header, then one line per entry. */
interface EntryFormat {
  readonly header: string;
  readonly line: (entry: Entry, body: string | undefined) => string;
}

/** Returns the body as text (the service accepts only UTF-8), or undefined if the stored body is damaged. */
export function readBodyText(entry: Entry): string | undefined {
  try {
    return bodyOf(entry).toString();
  } catch {
    return undefined;
  }
}

/** The fields that a team chose freely. */
const FREE_TEXT: readonly string[] = ['stage', 'model', 'explanation', 'query'];

/** The columns of CSV before the body. */
const COLUMNS = [
  'uid',
  'entryId',
  'receivedAt',
  'orderId',
  'stage',
  'model',
  'explanation',
  'bodySha256',
  'bodyBytes',
  'accessKey',
  'timestamp',
  'signature',
  'query',
  'locale',
  'sourceIp',
] as const satisfies (keyof ReturnType<typeof describeEntry>)[];

/** The formats of an export. In both, the body is exactly the signed text. */
export const entryFormats = {
  jsonl: {
    header: '',
    line: (entry, body) => `${JSON.stringify({ ...describeEntry(entry), body: body ?? null })}\n`,
  },
  csv: {
    header: csvLine([...COLUMNS, 'body']),
    line: (entry, body) => {
      const facts = describeEntry(entry);
      const cells = COLUMNS.map((column) => {
        const cell = facts[column] ?? '';
        return FREE_TEXT.includes(column) ? { freeText: String(cell) } : cell;
      });
      return csvLine([...cells, body]);
    },
  },
} as const satisfies Record<string, EntryFormat>;
