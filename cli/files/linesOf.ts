import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/**
 * Splits a UTF-8 text that comes in chunks. Only a line feed ends a line: JSON lines may contain every other separator.
 */
function createSplitter() {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    /** Returns the lines that end in a chunk. */
    push(chunk: Uint8Array): string[] {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() as string;
      return lines;
    },
    /** Returns the last line if no line feed ends it. */
    end(): string[] {
      rest += decoder.end();
      return rest === '' ? [] : [rest];
    },
  };
}

/** Yields the lines of a text that comes in chunks. */
export function* linesIn(chunks: Iterable<Uint8Array>): Generator<string> {
  const splitter = createSplitter();
  for (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

/** Yields the lines of a file. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const splitter = createSplitter();
  for await (const chunk of createReadStream(path)) yield* splitter.push(chunk);
  yield* splitter.end();
}
