/** Reads the lines of a text that comes in chunks. */
export function* linesOf(chunks: Iterable<Buffer>): Generator<string> {
  let rest = Buffer.alloc(0) as Buffer;
  for (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
}
