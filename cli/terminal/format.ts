import stringWidth from 'string-width';
import { visible } from '../text/visible.ts';

/** One row of a table: cells by column name. */
export type Row = Readonly<Record<string, string | number | bigint | undefined>>;

/** The maximum width of a cell, and of a fact, in columns of the terminal. */
const CELL_LIMIT = 256;
const FACT_LIMIT = 4096;

/**
 * The width below which no column is cut, and below which no column of entry ids is cut. A short id is enough to find
 * one.
 */
const NARROWEST = 8;
const SHORT_ENTRY_ID = 20;

/** Cells that are of no use if they are cut: numbers, ids of orders, times and access keys. */
const UNCUT = /^(\d+|\d{4}-\d\d-\d\d(T[\d:.]+Z)?|ailog_[0-9a-f]{32})?$/;
const MILLISECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;
const ENTRY_ID = /^\d{13}-[0-9a-f]{32}$/;

/** Cuts a text to a width in columns of the terminal, and marks the cut with `…`. */
export function cutText(text: string, width: number): string {
  // A character is at most two columns wide, and an escape or a combination takes many characters for one column.
  if (text.length <= width * 8 && stringWidth(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const character of text) {
    used += stringWidth(character);
    if (used > width) break;
    cut += character;
  }
  return `${cut}…`;
}

/**
 * Returns the widest width for cut columns with which the table fits. Columns never get narrower than their minimum.
 */
function fitWidths(widths: readonly number[], minimums: readonly number[], room: number): number[] {
  const limited = (limit: number) =>
    widths.map((width, column) => Math.min(width, Math.max(limit, minimums[column] ?? 0)));
  const total = (limit: number) => limited(limit).reduce((sum, width) => sum + width, 0);
  let limit = Math.max(...widths, 0);
  while (limit > NARROWEST && total(limit) > room) limit -= 1;
  return limited(limit);
}

/** A formatted table, the columns in which a text was cut, and those that are left out. */
interface Table {
  readonly lines: string[];
  readonly cut: string[];
  readonly leftOut: string[];
}

interface TableOptions {
  /** The width of the terminal. Undefined: there is none. */
  readonly width?: number | undefined;
  /** Cuts nothing, whatever the width. */
  readonly wide?: boolean | undefined;
  /** The least width of the last column, if it has texts of that length. */
  readonly lastWidth?: number | undefined;
}

/**
 * Formats rows as lines: column names first, columns two spaces apart, numbers aligned to the right, times without
 * milliseconds. On a terminal, the longest texts are cut until the table fits. If that is not enough, columns are left
 * out from the one before the last on: the first one and ids of entries say what a row is, and the last one what is to
 * be said of it.
 */
export function formatTable(rows: readonly Row[], options: TableOptions = {}): Table {
  const { width = Number.POSITIVE_INFINITY, wide = false, lastWidth = NARROWEST } = options;
  const heads = Object.keys(rows[0] ?? {});
  const limit = wide ? Number.POSITIVE_INFINITY : CELL_LIMIT;
  const whole = rows.map((row) => heads.map((head) => String(row[head] ?? '').replace(MILLISECONDS, '$1Z')));
  const bounded = whole.map((row) =>
    row.map((text) => cutText(visible(wide ? text : text.slice(0, 8 * limit)), limit)),
  );
  const columnOf = (column: number) => bounded.map((row) => row[column] ?? '');
  const natural = heads.map((head, column) =>
    Math.max(stringWidth(head), ...columnOf(column).map((text) => stringWidth(text))),
  );
  const minimums = heads.map((head, column) => {
    const texts = columnOf(column);
    if (texts.every((text) => UNCUT.test(text))) return natural[column] ?? 0;
    const least = texts.some((text) => ENTRY_ID.test(text)) ? SHORT_ENTRY_ID : NARROWEST;
    const needed = column === heads.length - 1 ? Math.max(least, lastWidth) : least;
    return Math.max(stringWidth(head), needed);
  });
  const room = width - 2 * (heads.length - 1);
  const widths = wide ? natural : fitWidths(natural, minimums, room);
  const fits = wide || widths.reduce((sum, one) => sum + one, 0) <= room;
  const hasIds = (head: string) => columnOf(heads.indexOf(head)).some((text) => ENTRY_ID.test(text));
  const dropped = heads.slice(1, -1).findLast((head) => !hasIds(head));
  if (!fits && dropped !== undefined) {
    const narrower = formatTable(
      rows.map(({ [dropped]: _, ...rest }) => rest),
      options,
    );
    return { ...narrower, leftOut: [...narrower.leftOut, dropped] };
  }
  if (!fits && lastWidth > NARROWEST) return formatTable(rows, { ...options, lastWidth: NARROWEST });
  const cells = bounded.map((row) => row.map((text, column) => cutText(text, widths[column] ?? 0)));
  const numeric = heads.map((head) => rows.every((row) => typeof row[head] === 'number'));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
        return numeric[column] ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd();
  const isCut = (column: number) =>
    cells.some((row, index) => row[column] !== visible((whole[index]?.[column] ?? '').slice(0, 8 * CELL_LIMIT + 1)));
  return {
    lines: [line(heads), ...cells.map(line)],
    cut: wide ? [] : heads.filter((_head, column) => isCut(column)),
    leftOut: [],
  };
}

/** Facts by name. Those without a value are not shown. */
export type Facts = Readonly<Record<string, string | number | bigint | null | undefined>>;

/**
 * Formats facts as lines: the name, then the value. All values start in the same column, a multiple of four. A very
 * long value is cut, and the cut says how much is missing.
 * @param full cuts nothing
 */
export function formatFacts(facts: Facts, { full = false }: { full?: boolean | undefined } = {}): string[] {
  const shown = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  const longest = Math.max(...shown.map(([name]) => name.length));
  const column = Math.ceil((longest + 1) / 4) * 4;
  return shown.map(([name, value]) => {
    const text = String(value);
    const cut = full || text.length <= FACT_LIMIT ? text : text.slice(0, FACT_LIMIT);
    const more = text.length === cut.length ? '' : `… (${text.length - cut.length} more characters)`;
    return name.padEnd(column) + visible(cut) + more;
  });
}
