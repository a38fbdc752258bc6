import { createReadStream } from 'node:fs';

/** Reads the lines of a file. Only a line feed ends a line: JSON lines may contain every other separator. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
