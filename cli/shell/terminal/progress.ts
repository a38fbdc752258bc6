import { visible } from '../text/visible.ts';
import { cutText } from './format.ts';

export type Progress = Pick<ReturnType<typeof showProgress>, 'advance' | 'stop'>;

const BAR_WIDTH = 24;

/** Moves to the start of the line and erases it. */
const ERASE = '\r\x1b[K';

/** Shows progress on one line. It never reads from the keyboard, so that Ctrl-C stays a signal. */
export function showProgress(
  stream: Pick<NodeJS.WriteStream, 'write' | 'columns'>,
  total: number | undefined,
  text: string,
) {
  let done = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  const draw = (now: string) => {
    const share = total === undefined ? undefined : Math.min(1, done / Math.max(1, total));
    const filled = Math.round((share ?? 0) * BAR_WIDTH);
    const bar = share === undefined ? '' : `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)} ${done}/${total} `;
    // A line that wraps could not be erased.
    stream.write(ERASE + cutText(`${bar}${visible(now)}`, (stream.columns || 80) - 1));
    shownAt = performance.now();
  };
  const hide = () => void stream.write(ERASE);
  draw(text);
  return {
    advance(steps: number, now: string): void {
      done += steps;
      if (performance.now() - shownAt >= 80) draw(now);
    },
    hide,
    stop(end: string): void {
      hide();
      stream.write(`${end}\n`);
    },
  };
}
