import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LINE_LIMIT_CHARACTERS, linesIn, linesOf } from '../../../../cli/shell/files/openRegularFile.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const split = (text: string, size: number): Promise<string[]> => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return Array.fromAsync(linesIn('a text', chunks));
};

test.each<[string, string[]]>([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\n', ['a']],
  ['\n\na\r\n\nb', ['', '', 'a\r', '', 'b']],
  ['决策\u2028\u0085📉\n📉', ['决策\u2028\u0085📉', '📉']],
])('%j has the same lines however it is cut into chunks', async (text, lines) => {
  for (let size = 1; size <= 12; size += 1) expect(await split(text, size), `${size}`).toEqual(lines);
});

test('a line that is too long is refused as soon as that is known', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'a');
  let read = 0;
  const chunks = function* () {
    yield Buffer.from('first\n');
    for (;;) {
      read += 1;
      yield chunk;
    }
  };
  const lines: string[] = [];
  const readAll = async () => {
    for await (const line of linesIn('a text', chunks())) lines.push(line);
  };
  await expect(readAll()).rejects.toThrow(`Line 2 of a text is longer than ${LINE_LIMIT_CHARACTERS} characters.`);
  expect([lines, read]).toEqual([['first'], LINE_LIMIT_CHARACTERS / chunk.length + 1]);
});

test('the longest line is read, and the limit is that of each line', async () => {
  const path = join(temporaryFolder(), 'long');
  const longest = 'a'.repeat(LINE_LIMIT_CHARACTERS);
  writeFileSync(path, `${longest}\n${longest}\n${longest}a`);
  const lengths: number[] = [];
  const readAll = async () => {
    for await (const line of linesOf(path)) lengths.push(line.length);
  };
  await expect(readAll()).rejects.toThrow(`Line 3 of ${path} is longer than`);
  expect(lengths).toEqual([LINE_LIMIT_CHARACTERS, LINE_LIMIT_CHARACTERS]);
});
