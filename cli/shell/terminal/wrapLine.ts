import stringWidth from 'string-width';

/** A command, with its options and arguments: it can be copied only if it stays in one line. */
const COMMAND =
  /(?:(?:npx|node) )?(?:\bailog(?:\.mjs)?|npm(?: run)?)(?: [a-z][a-z-]*){1,2}(?: (?:-\S+|[A-Z]+\b|\S*[\d/…_.-]\S*))*/;

/** The parts of a line that stay whole: blanks, and a command or a word. A word may be a path, a key or an id. */
const CHUNK = new RegExp(`\\s*(?:[("]*${COMMAND.source}\\S*|\\S+)`, 'g');

/** Returns the column in which the text of a line starts: after its last gap of two blanks in the first half. */
function textColumn(line: string, width: number): number {
  const gaps = [...line.slice(0, width / 2 + 1).matchAll(/(?:^|\S) {2,}(?=\S)|^ +/g)];
  const last = gaps.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

export interface WrapOptions {
  /** The column in which the next lines start; by default, that of the text of the line. */
  readonly indent?: number;
  readonly mark?: string;
}

/** Breaks a line between words, to fit `width` columns. A longer word or command gets a line of its own. */
export function wrapLine(
  line: string,
  width: number,
  { indent = textColumn(line, width), mark = '' }: WrapOptions = {},
): string[] {
  // A character is at most two columns wide, so that a short line needs no exact measure.
  if (line.length * 2 <= width || stringWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  // Blanks without a word behind them would be looked at again from each of them.
  for (const [chunk] of line.trimEnd().matchAll(CHUNK)) {
    const wide = stringWidth(chunk);
    if (used + wide <= width || current.trim() === '') {
      current += chunk;
      used += wide;
      continue;
    }
    lines.push(current);
    const word = chunk.trimStart();
    const room = width - stringWidth(word) - stringWidth(mark);
    current = ' '.repeat(Math.max(0, Math.min(indent, room))) + mark + word;
    used = stringWidth(current);
  }
  return [...lines, current];
}
