import stringWidth from 'string-width';

/** One row of a table: cells by column name. */
export type Row = Readonly<Record<string, string | number | bigint | undefined>>;

/**
 * Escapes control characters and those that change the direction of text, so that text of a team cannot control the
 * terminal of a reviewer.
 */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Formats rows as lines: column names first, columns two spaces apart, numbers aligned to the right. */
export function formatTable(rows: readonly Row[]): string[] {
  const heads = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => heads.map((head) => visible(String(row[head] ?? ''))));
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...cells.map((row) => row[column] ?? '')].map((cell) => stringWidth(cell))),
  );
  const numeric = heads.map((head) => rows.every((row) => typeof row[head] === 'number'));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const padding = ' '.repeat((widths[column] ?? 0) - stringWidth(text));
        return numeric[column] ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd();
  return [line(heads), ...cells.map(line)];
}

/** Facts by name. Those without a value are not shown. */
export type Facts = Readonly<Record<string, string | number | bigint | null | undefined>>;

/** Formats facts as lines: the name, then the value. All values start in the same column, a multiple of four. */
export function formatFacts(facts: Facts): string[] {
  const shown = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  const longest = Math.max(...shown.map(([name]) => name.length));
  const column = Math.ceil((longest + 1) / 4) * 4;
  return shown.map(([name, value]) => name.padEnd(column) + visible(String(value)));
}

/** Formats JSON with big integers as strings: most JSON parsers would round a number of 18 digits. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item), 2);

/** Formats a duration with its two largest units: `2 d 3 h`, `45 s`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ];
  const parts = units.map(([unit, length], index) => {
    const above = units[index - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return [Math.floor((ms % above) / length), unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Compares UIDs as numbers, for sorting. */
export const byUid = (a: { readonly uid: string }, b: { readonly uid: string }): number =>
  a.uid.length - b.uid.length || (a.uid < b.uid ? -1 : Number(a.uid > b.uid));

/** JSON.rawJSON and the source text of a reviver exist in Node, but not yet in the types of TypeScript. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

/** Parses JSON so that `JSON.stringify` writes every number digit for digit as it was. */
export function parseExactly(text: string): unknown {
  const reviver: Reviver = (_key, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value);
  return JSON.parse(text, reviver as (this: unknown, key: string, value: unknown) => unknown);
}

/**
 * Formats a JSON text with one line per value, every number digit for digit. Text that is nested too deeply stays as it
 * is.
 */
export function prettyJson(text: string): string {
  let lines = [text];
  try {
    lines = JSON.stringify(parseExactly(text), undefined, 2).split('\n');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return lines.map(visible).join('\n');
}

/** Formats a time for people: ISO 8601 in UTC, to the second. @param ms milliseconds since 1970 */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
