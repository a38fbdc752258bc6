import { styleText } from 'node:util';
import { formatJson } from '../text/json.ts';
import { escapeHidden } from '../text/visible.ts';
import { exitCodes, Failure, type Outcome } from './failure.ts';
import { type Facts, formatFacts, formatTable, type Row } from './format.ts';
import { type Progress, showProgress } from './progress.ts';

/** The environment of a command line: the process, or a replacement in tests. */
export type Host = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd'> & {
  /** Aborted when the user wants to stop. */
  readonly signal?: AbortSignal;
};

/** The terminal that commands use. Answers go to stdout, everything else to stderr. */
export type Terminal = ReturnType<typeof createTerminal>;

/**
 * Creates a terminal. It uses colour, progress bars and questions only if a person is at the terminal.
 * @param wide `--wide`: tables may be wider than the terminal
 */
export function createTerminal(host: Host, wide = false) {
  const { stdin, stdout, stderr, env } = host;
  const colourful = (stream: { isTTY?: boolean }) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (format: Parameters<typeof styleText>[0], text: string, stream: { isTTY?: boolean }) =>
    colourful(stream) ? styleText(format, text, { validateStream: false }) : text;
  let outcome: Outcome = 'ok';
  let bar: (Progress & { readonly hide: () => void }) | undefined;

  const asks = stdin.isTTY === true && stderr.isTTY === true;
  const terminal = {
    env,
    cwd: () => host.cwd(),
    signal: host.signal ?? new AbortController().signal,
    stdin,

    /** The exit code, unless the command throws. */
    get exitCode(): number {
      return exitCodes[outcome];
    },
    /** Makes the command end with the exit code for a negative result. */
    reportNegative(): void {
      outcome = 'negative';
    },

    /** Makes the command end with the exit code for a check that could not be made, unless its result is negative. */
    reportUnchecked(): void {
      if (outcome === 'ok') outcome = 'unchecked';
    },

    /** Writes text to stdout. Resolves when the stream accepts more. */
    async write(text: string | Uint8Array): Promise<void> {
      if (stdout.write(text)) return;
      await new Promise<void>((resolve) => stdout.once('drain', resolve));
    },
    /** Writes a line to stdout. */
    async print(line: string): Promise<void> {
      await terminal.write(`${line}\n`);
    },
    /** Writes a value to stdout as JSON. */
    async json(value: unknown): Promise<void> {
      await terminal.print(formatJson(value));
    },
    /** Writes values to stdout as one JSON array, without keeping them in memory. */
    async jsonArray(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
      let before = '[\n';
      for await (const value of values) {
        await terminal.write(`${before}${formatJson(value)}`);
        before = ',\n';
      }
      await terminal.print(before === '[\n' ? '[]' : '\n]');
    },
    /**
     * Writes rows to stdout, aligned in columns. The keys of the first row are the column names. On a terminal, the
     * lines fit unless the user wants them wide, and a note says what that cost.
     * @param options `lastWidth`: the least width of the last column, if it has texts of that length
     */
    async table(rows: readonly Row[], { lastWidth }: { lastWidth?: number } = {}): Promise<void> {
      const { lines, cut, leftOut } = formatTable(rows, {
        width: stdout.isTTY ? stdout.columns : undefined,
        wide,
        lastWidth,
      });
      for (const [index, line] of lines.entries()) {
        await terminal.print(index === 0 ? style('bold', line, stdout) : line);
      }
      if (leftOut.length > 0) terminal.note(`Left out to fit: ${leftOut.join(', ')}. --wide shows all columns.`);
      if (cut.length > 0) terminal.note(`Cut to fit: ${cut.join(', ')}. --wide shows the whole text.`);
    },

    /** Writes facts to stdout, one per line. @param options `full`: cut nothing, however long */
    async facts(facts: Facts, options: { full?: boolean | undefined } = {}): Promise<void> {
      for (const line of formatFacts(facts, options)) await terminal.print(line);
    },

    /** Writes a sentence to stderr. */
    note(text: string): void {
      bar?.hide();
      stderr.write(`${escapeHidden(text)}\n`);
    },
    /** Writes a failure to stderr: its message and its advice. */
    fail({ message, advice }: Failure): void {
      bar?.hide();
      const lines = advice === undefined ? '' : `\n${escapeHidden(advice)}`;
      stderr.write(`${style('red', escapeHidden(message), stderr)}${lines}\n`);
    },

    /**
     * Asks for confirmation before a change that the same command cannot undo.
     * @param yes `--yes`: do not ask
     * @param option the option that `yes` stands for
     * @throws Failure if the answer is no, or if there is no terminal
     */
    async confirm(question: string, yes: boolean | undefined, option = '--yes'): Promise<void> {
      if (yes) return;
      if (!asks)
        throw new Failure('usage', `${question} Cannot ask: no terminal.`, { advice: `Give ${option} to confirm.` });
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message: question, initialValue: false, input: stdin, output: stderr });
      if (isCancel(answer)) throw new Failure('interrupted', 'Interrupted. Nothing was changed.');
      if (!answer) throw new Failure('negative', 'Nothing was changed.');
    },
    /** Asks for a secret without showing it. @throws Failure if there is no terminal */
    async secret(message: string, advice: string): Promise<string> {
      if (!asks) throw new Failure('usage', `${message} is required. Cannot ask: no terminal.`, { advice });
      const { isCancel, password } = await import('@clack/prompts');
      const answer = await password({ message, input: stdin, output: stderr });
      if (isCancel(answer)) throw new Failure('interrupted', 'Interrupted. Nothing was changed.');
      if (!answer) throw new Failure('negative', 'Nothing was changed.');
      return answer;
    },
    /**
     * Shows progress on a terminal: a bar if the total is known, else only the text. Without a terminal, shows nothing.
     */
    progress(total: number | undefined, text: string): Progress {
      if (!colourful(stderr)) return { advance: () => {}, stop: () => {} };
      bar = showProgress(stderr, total, text);
      return bar;
    },
  };
  return terminal;
}
