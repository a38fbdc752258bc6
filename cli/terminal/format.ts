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

/** A column of a table: its texts, whole and bounded, and the widths between which it can be cut. */
interface Column {
  readonly head: string;
  readonly whole: readonly string[];
  readonly bounded: readonly string[];
  readonly natural: number;
  readonly minimum: number;
  readonly canBeCut: boolean;
  readonly hasIds: boolean;
  readonly isNumeric: boolean;
}

/** Reads a column of the rows. */
function columnOf(rows: readonly Row[], head: string, wide: boolean): Column {
  const limit = wide ? Number.POSITIVE_INFINITY : CELL_LIMIT;
  const whole = rows.map((row) => String(row[head] ?? '').replace(MILLISECONDS, '$1Z'));
  const bounded = whole.map((text) => cutText(visible(wide ? text : text.slice(0, 8 * limit)), limit));
  const natural = Math.max(stringWidth(head), ...bounded.map((text) => stringWidth(text)));
  const canBeCut = !bounded.every((text) => UNCUT.test(text));
  const hasIds = bounded.some((text) => ENTRY_ID.test(text));
  const minimum = canBeCut ? Math.max(stringWidth(head), hasIds ? SHORT_ENTRY_ID : NARROWEST) : natural;
  const isNumeric = rows.every((row) => typeof row[head] === 'number');
  return { head, whole, bounded, natural, minimum, canBeCut, hasIds, isNumeric };
}

/** Chooses the columns that fit a width, and how wide each of them is. */
function fitColumns(
  columns: readonly Column[],
  width: number,
  lastWidth: number,
): { kept: readonly Column[]; widths: readonly number[]; leftOut: string[] } {
  const room = width - 2 * (columns.length - 1);
  const last = columns.at(-1);
  const minimums = columns.map((one) =>
    one === last && one.canBeCut ? Math.max(one.minimum, lastWidth) : one.minimum,
  );
  const widths = fitWidths(
    columns.map(({ natural }) => natural),
    minimums,
    room,
  );
  if (widths.reduce((sum, one) => sum + one, 0) <= room) return { kept: columns, widths, leftOut: [] };
  const dropped = columns.slice(1, -1).findLast(({ hasIds }) => !hasIds);
  if (dropped) {
    const fewer = columns.filter((one) => one !== dropped);
    const { leftOut, ...fitted } = fitColumns(fewer, width, lastWidth);
    return { ...fitted, leftOut: [...leftOut, dropped.head] };
  }
  if (lastWidth > NARROWEST) return fitColumns(columns, width, NARROWEST);
  return { kept: columns, widths, leftOut: [] };
}

/**
 * Formats rows as lines: column names first, columns two spaces apart, numbers aligned to the right, times without
 * milliseconds. On a terminal, the longest texts are cut until the table fits. If that is not enough, columns are left
 * out from the one before the last on: the first one and ids of entries say what a row is, and the last one what is to
 * be said of it.
 */
export function formatTable(rows: readonly Row[], options: TableOptions = {}): Table {
  const { width = Number.POSITIVE_INFINITY, wide = false, lastWidth = NARROWEST } = options;
  const columns = Object.keys(rows[0] ?? {}).map((head) => columnOf(rows, head, wide));
  const { kept, widths, leftOut } = fitColumns(columns, wide ? Number.POSITIVE_INFINITY : width, lastWidth);
  const cells = kept.map(({ bounded }, column) => bounded.map((text) => cutText(text, widths[column] ?? 0)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
        return kept[column]?.isNumeric ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd();
  const isCut = ({ whole }: Column, column: number) =>
    cells[column]?.some((cell, row) => cell !== visible((whole[row] ?? '').slice(0, 8 * CELL_LIMIT + 1)));
  return {
    lines: [line(kept.map(({ head }) => head)), ...rows.map((_, row) => line(cells.map((cell) => cell[row] ?? '')))],
    cut: wide ? [] : kept.filter(isCut).map(({ head }) => head),
    leftOut,
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
