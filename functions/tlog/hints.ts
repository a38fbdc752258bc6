import type { Mark } from './tlogTable.ts';

/**
 * A line of hints: what the log had come to when a checkpoint was published. Hints prove nothing, so they are not
 * signed: they say where to look. Source: docs/proof.md, "The transparency log".
 */
export interface Hint extends Mark {
  /** The time at which the checkpoint was published, by the clock of the sequencer, in milliseconds since 1970. */
  readonly published: number;
  /** The size before the last append: the leaves from here on came with the first checkpoint of this size. */
  readonly from: number;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Returns the line of a hint, with its line feed: cursor, size, time of publication, and the size before. */
export const formatHint = ({ cursor, size, published, from }: Hint): string =>
  `${isoTime(cursor)} ${size} ${isoTime(published)} ${from}\n`;

/** Reads the hints of a day. Nobody signs them, so a line that makes no sense is left out. */
export const parseHints = (text: string): Hint[] =>
  [...text.matchAll(/^(\S{24}) (\d{1,15}) (\S{24}) (\d{1,15})$/gm)]
    .map(([, cursor = '', size, published = '', from]) => ({
      cursor: Date.parse(cursor),
      size: Number(size),
      published: Date.parse(published),
      from: Number(from),
    }))
    .filter(({ cursor, size, published, from }) => !Number.isNaN(cursor + published) && from < size);
