import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../terminal/failure.ts';
import { openRegularFile } from './openRegularFile.ts';

/**
 * The length of the longest line that is read. The longest that the service writes has a body of 1 MiB in which every
 * character is escaped.
 */
export const LINE_LIMIT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Splits a UTF-8 text that comes in chunks. Only a line feed ends a line: JSON lines may contain every other separator.
 * @param name the name of the text, for the message
 */
function createSplitter(name: string) {
  const decoder = new StringDecoder('utf8');
  let [number, length] = [1, 0];
  let pieces: string[] = [];
  /**
   * Adds a piece to the current line. Pieces are joined once, so that a long line takes no more time than short ones.
   */
  const add = (piece: string): void => {
    length += piece.length;
    if (length > LINE_LIMIT_CHARACTERS) {
      throw new Failure('usage', `Line ${number} of ${name} is longer than ${LINE_LIMIT_CHARACTERS} characters.`);
    }
    if (piece !== '') pieces.push(piece);
  };
  const end = (): string => {
    const line = pieces.join('');
    pieces = [];
    length = 0;
    number += 1;
    return line;
  };
  return {
    /** Yields the lines that end in a chunk. */
    *push(chunk: Uint8Array): Generator<string> {
      const [first = '', ...others] = decoder.write(chunk).split('\n');
      add(first);
      for (const piece of others) {
        yield end();
        add(piece);
      }
    },
    /** Yields the last line if no line feed ends it. */
    *end(): Generator<string> {
      add(decoder.end());
      if (length > 0) yield end();
    },
  };
}

/**
 * Yields the lines of a text that comes in chunks.
 * @throws Failure if a line is longer than `LINE_LIMIT_CHARACTERS`
 */
export function* linesIn(chunks: Iterable<Uint8Array>): Generator<string> {
  const splitter = createSplitter('a working file');
  for (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

/**
 * Yields the lines of a file.
 * @throws Failure if it is no regular file, or if a line is longer than `LINE_LIMIT_CHARACTERS`
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const splitter = createSplitter(path);
  for await (const chunk of createReadStream(path, { fd: openRegularFile(path) })) yield* splitter.push(chunk);
  yield* splitter.end();
}
