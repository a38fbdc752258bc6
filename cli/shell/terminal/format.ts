import stringWidth from 'string-width';
import { visible } from '../text/visible.ts';
import { wrapLine } from './wrapLine.ts';

/** One row of a table: cells by column name. */
export type Row = Readonly<Record<string, string | number | bigint | undefined>>;

const CELL_LIMIT = 256;
const FACT_LIMIT = 4096;

/** The width below which no column is cut. */
const NARROWEST = 8;
/** The width below which no column of entry ids is cut: a short id is enough to find an entry. */
const SHORT_ENTRY_ID = 20;

/** Cells that are of no use if they are cut: numbers, ids of orders, times and access keys. */
const UNCUT = /^(\d+|\d{4}-\d\d-\d\d(T[\d:.]+Z)?|ailog_[0-9a-f]{32})?$/;
const MILLISECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;
const ENTRY_ID = /^\d{13}-[0-9a-f]{32}$/;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Cuts a text to a width in columns of the terminal, and marks the cut with `…`. */
export function cutText(text: string, width: number): string {
  // A character is at most two columns wide, and an escape or a combination takes many characters for one column.
  if (text.length <= width * 8 && stringWidth(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const character of text.slice(0, width * 8)) {
    used += stringWidth(character);
    if (used > width) break;
    cut += character;
  }
  return `${cut}…`;
}

export interface TableOptions {
  readonly width?: number | undefined;
  readonly wide?: boolean | undefined;
  /** The least width of the last column, if it has texts of that length. */
  readonly lastWidth?: number | undefined;
  /** Wraps texts that are too long. Only a word that is longer than its column is cut. */
  readonly wraps?: boolean | undefined;
}

/** A column of a table: its texts, whole and bounded, and the widths between which it can be cut. */
type Column = ReturnType<typeof columnOf>;

function columnOf(rows: readonly Row[], head: string, limit: number) {
  const whole = rows.map((row) => String(row[head] ?? '').replace(MILLISECONDS, '$1Z'));
  const bounded = whole.map((text) => cutText(visible(text.slice(0, 8 * limit)), limit));
  const natural = Math.max(stringWidth(head), ...bounded.map((text) => stringWidth(text)));
  const canBeCut = !bounded.every((text) => UNCUT.test(text));
  const hasIds = bounded.some((text) => ENTRY_ID.test(text));
  const minimum = canBeCut ? Math.max(stringWidth(head), hasIds ? SHORT_ENTRY_ID : NARROWEST) : natural;
  const isNumeric = rows.every((row) => typeof row[head] === 'number' || row[head] === undefined);
  const isEmpty = whole.every((text) => text === '');
  return { head, whole, bounded, natural, minimum, canBeCut, hasIds, isNumeric, isEmpty };
}

/** Returns the widest widths with which the columns fit. No column gets narrower than its minimum. */
function fitWidths(columns: readonly Column[], room: number, lastWidth: number): number[] {
  const last = columns.at(-1);
  const limited = (limit: number) =>
    columns.map((one) => {
      const least = one === last && one.canBeCut ? Math.max(one.minimum, lastWidth) : one.minimum;
      return Math.min(one.natural, Math.max(limit, least));
    });
  let limit = Math.max(...columns.map(({ natural }) => natural), 0);
  while (limit > NARROWEST && sum(limited(limit)) > room) limit -= 1;
  return limited(limit);
}

function fitColumns(columns: readonly Column[], width: number, lastWidth: number) {
  let kept = columns;
  let least = lastWidth;
  for (;;) {
    const room = width - 2 * (kept.length - 1);
    const widths = fitWidths(kept, room, least);
    const others = kept.slice(1);
    const dropped = others.findLast(({ isEmpty }) => isEmpty) ?? others.slice(0, -1).findLast(({ hasIds }) => !hasIds);
    if (sum(widths) <= room || (!dropped && least <= NARROWEST)) {
      return { kept, widths, leftOut: columns.filter((one) => !kept.includes(one)).map(({ head }) => head) };
    }
    if (dropped) kept = kept.filter((one) => one !== dropped);
    else least = NARROWEST;
  }
}

/**
 * Formats rows as lines: names first, columns two spaces apart, numbers to the right, times without ms. On a terminal,
 * the longest texts are cut, then columns left out: empty ones, then from the last but one on; never the first or ids.
 */
export function formatTable(rows: readonly Row[], options: TableOptions = {}) {
  const { width = Number.POSITIVE_INFINITY, wide = false, wraps = false, lastWidth = NARROWEST } = options;
  const heads = Object.keys(rows[0] ?? {});
  const columns = heads.map((head) => columnOf(rows, head, wide || wraps ? Number.POSITIVE_INFINITY : CELL_LIMIT));
  const { kept, widths, leftOut } = fitColumns(columns, wide ? Number.POSITIVE_INFINITY : width, lastWidth);
  const cells = kept.map(({ bounded }, column) =>
    bounded.map((text) => {
      const room = widths[column] ?? 0;
      const parts = wraps ? wrapLine(text, room, { indent: 0 }) : [text];
      return parts.map((part) => cutText(part, room));
    }),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
        return kept[column]?.isNumeric ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd();
  const linesOf = (row: number) => {
    const texts = cells.map((column) => column[row] ?? []);
    const height = Math.max(...texts.map((parts) => parts.length));
    return Array.from({ length: height }, (_, index) => line(texts.map((parts) => parts[index] ?? '')));
  };
  const isCut = ({ whole, bounded }: Column, column: number) =>
    cells[column]?.some((parts, row) =>
      wraps
        ? parts.join(' ').length < (bounded[row] ?? '').trimEnd().length
        : parts[0] !== visible((whole[row] ?? '').slice(0, 8 * CELL_LIMIT + 1)),
    );
  return {
    lines: [line(kept.map(({ head }) => head)), ...rows.flatMap((_, row) => linesOf(row))],
    cut: wide ? [] : kept.filter(isCut).map(({ head }) => head),
    leftOut,
  };
}

/** Facts by name. Those without a value are not shown. */
export type Facts = Readonly<Record<string, string | number | bigint | null | undefined>>;

const shownFacts = (facts: Facts) => Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);

/** Returns the column in which the values of facts start. */
export function factColumn(facts: Facts): number {
  const longest = Math.max(...shownFacts(facts).map(([name]) => name.length));
  return Math.ceil((longest + 1) / 4) * 4;
}

/** Formats facts as lines: name, then value in a column that is a multiple of four. Unless `full`, they are cut. */
export function formatFacts(facts: Facts, { full = false }: { full?: boolean | undefined } = {}): string[] {
  const column = factColumn(facts);
  return shownFacts(facts).map(([name, value]) => {
    const text = String(value);
    const cut = full ? text : text.slice(0, FACT_LIMIT);
    const more = text.length === cut.length ? '' : `… (${text.length - cut.length} more characters)`;
    return name.padEnd(column) + visible(cut) + more;
  });
}
