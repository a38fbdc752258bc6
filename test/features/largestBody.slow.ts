import { expect, test } from 'vitest';
import { readContent } from '../../functions/features/logContent.ts';

test('a list is read up to the largest body, which holds more values than a call takes arguments', () => {
  const list = `{"1":[${Array(500_000).fill('1')}]}`;
  const read = { hasData: true, pieces: [] };
  expect(readContent(`{"input":${list},"output":{"1":1}}`)).toMatchObject(read);
  expect(readContent(`{"input":{"a":1},"output":${list}}`)).toMatchObject(read);
});
