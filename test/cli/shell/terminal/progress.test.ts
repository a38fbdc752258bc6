import stringWidth from 'string-width';
import { expect, test, vi } from 'vitest';
import { showProgress } from '../../../../cli/shell/terminal/progress.ts';

/** Starts a bar on a terminal of this width. `lines` returns every text that was on its line. */
function start(total: number | undefined, { columns = 80, text = 'Uploading' } = {}) {
  let screen = '';
  const write = (chunk: string) => {
    screen += chunk;
    return true;
  };
  const bar = showProgress({ columns, write } as never, total, text);
  return { bar, lines: () => screen.split('\r\x1b[K').slice(1) };
}

test('a progress bar shows its share, fits the line, is erased, and never reads from the keyboard', () => {
  const before = process.stdin.eventNames().length;
  const { bar, lines } = start(2, { columns: 40 });
  expect(process.stdin.eventNames()).toHaveLength(before);
  bar.stop('2 logs');
  expect(lines()).toEqual([`${'─'.repeat(24)} 0/2 Uploading`, '2 logs\n']);
});

test('the line changes at most every 80 ms, so that many small steps stay fast', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { bar, lines } = start(4);
  bar.advance(1, 'a');
  vi.advanceTimersByTime(79);
  bar.advance(1, 'b');
  vi.advanceTimersByTime(1);
  bar.advance(1, 'c');
  vi.advanceTimersByTime(80);
  bar.advance(2, 'd');
  vi.useRealTimers();
  expect(lines().slice(1)).toEqual([`${'━'.repeat(18)}${'─'.repeat(6)} 3/4 c`, `${'━'.repeat(24)} 5/4 d`]);
});

test('a bar of nothing is empty, and without a total there is only the text', () => {
  expect(start(0).lines()).toEqual([`${'─'.repeat(24)} 0/0 Uploading`]);
  expect(start(undefined).lines()).toEqual(['Uploading']);
});

// biome-ignore format: one case a line
test.each([
  ['a long text', { columns: 40, text: 'x'.repeat(40) }, 39],
  ['a text of wide characters', { columns: 40, text: '决'.repeat(40) }, 39],
  ['a terminal that does not tell its width', { columns: 0, text: 'x'.repeat(100) }, 79],
])('%s is cut, because a line that wraps could not be erased', (_name, options, width) => {
  expect(stringWidth(start(undefined, options).lines()[0] ?? '')).toBe(width);
});

test('a file name cannot control the terminal', () => {
  expect(start(undefined, { text: 'a\n\u001b[2J\u202e.json' }).lines()).toEqual(['a\\n\\u001b[2J\\u202e.json']);
});
