import stringWidth from 'string-width';

/** One row of a table: cells by column head. */
export type Row = Readonly<Record<string, string | number | bigint | undefined>>;

/**
 * Text that stays on its line and moves no cursor: what teams wrote must not act on a reviewer's terminal. Control
 * characters, and those that turn the direction of text, are shown as escapes.
 */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Rows as lines: the heads, then a line for each, columns two spaces apart; numbers stand to the right. */
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

/** JSON with big integers as strings: most readers of JSON would round a number of 18 digits. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item), 2);

/** A duration in words, its two largest units: `2 d 3 h`, `45 s`. @param ms milliseconds */
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

/** Orders by UID as a number. */
export const byUid = (a: { readonly uid: string }, b: { readonly uid: string }): number =>
  a.uid.length - b.uid.length || (a.uid < b.uid ? -1 : Number(a.uid > b.uid));
