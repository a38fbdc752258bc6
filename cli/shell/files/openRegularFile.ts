import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../terminal/failure.ts';

// Windows has neither.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Opens a file of other people, and never waits for a pipe or device. @throws Failure if it is none; a system error */
export function openRegularFile(path: string, flags: number = O_RDONLY, mode?: number): number {
  const descriptor = openSync(path, flags | O_NONBLOCK, mode);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  if (stat.isDirectory())
    throw new Failure('usage', `${path} is a folder, not a file.`, { advice: 'Give the files in it.' });
  const advice = 'Write its content to a file, and give that one.';
  throw new Failure('usage', `${path} is a pipe or a device, not a file.`, { advice });
}

/** The longest line that is read. The longest of the service has a body of 1 MiB in which each character is escaped. */
export const LINE_LIMIT_CHARACTERS = 16 * 1024 * 1024;

/** Yields the lines of a text, which only a line feed ends. @throws Failure if one has over `LINE_LIMIT_CHARACTERS` */
export async function* linesIn(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const decoder = new StringDecoder('utf8');
  let number = 1;
  let line = '';
  const add = (piece: string): void => {
    line += piece;
    if (line.length > LINE_LIMIT_CHARACTERS) {
      throw new Failure('usage', `Line ${number} of ${name} is longer than ${LINE_LIMIT_CHARACTERS} characters.`);
    }
  };
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    add(first);
    for (const piece of others) {
      yield line;
      [number, line] = [number + 1, ''];
      add(piece);
    }
  }
  add(decoder.end());
  if (line !== '') yield line;
}

/** Yields the lines of a file, see `linesIn`. @throws Failure if it is no regular file */
export async function* linesOf(path: string): AsyncGenerator<string> {
  yield* linesIn(path, createReadStream(path, { fd: openRegularFile(path) }));
}
