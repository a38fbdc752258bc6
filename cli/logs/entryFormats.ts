import type { Entry } from '../../functions/ailog/entry.ts';
import { bodyOf } from '../data/bodyOf.ts';
import { csvLine, inertText } from '../terminal/csv.ts';
import { describeEntry } from './describeEntry.ts';

/** How entries are written into a file: a line for each, after the head. */
interface EntryFormat {
  readonly head: string;
  readonly line: (entry: Entry, body: string | undefined) => string;
}

/** The body as text, which it always is: only UTF-8 is accepted. Undefined where what is stored is damaged. */
export function bodyText(entry: Entry): string | undefined {
  try {
    return bodyOf(entry).toString();
  } catch {
    return undefined;
  }
}

/** What a team chose freely. In CSV it is made inert; all else stays as it is stored. */
const FREE_TEXT: readonly string[] = ['stage', 'model', 'explanation', 'query'];

/** The columns of CSV, after which comes the body. */
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

/** The formats of an export. In both, the body is the text that was signed, character for character. */
export const entryFormats = {
  jsonl: {
    head: '',
    line: (entry, body) => `${JSON.stringify({ ...describeEntry(entry), body: body ?? null })}\n`,
  },
  csv: {
    head: csvLine([...COLUMNS, 'body']),
    line: (entry, body) => {
      const facts = describeEntry(entry);
      const cells = COLUMNS.map((column) => {
        const cell = facts[column] ?? '';
        return FREE_TEXT.includes(column) ? inertText(String(cell)) : cell;
      });
      return csvLine([...cells, body]);
    },
  },
} as const satisfies Record<string, EntryFormat>;
