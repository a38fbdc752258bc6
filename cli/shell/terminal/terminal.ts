import { styleText } from 'node:util';
import { formatJson } from '../text/json.ts';
import { escapeHidden, visible } from '../text/visible.ts';
import { exitCodes, Failure, type Outcome, outputFailure } from './failure.ts';
import { type Facts, factColumn, formatFacts, formatTable, type Row, type TableOptions } from './format.ts';
import { type Progress, showProgress } from './progress.ts';
import { type WrapOptions, wrapLine } from './wrapLine.ts';

/** The environment of a command line: the process, or a replacement in tests. */
export type Host = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd'> & {
  readonly signal?: AbortSignal;
};

/** The terminal that commands use. Answers go to stdout, everything else to stderr. */
export type Terminal = ReturnType<typeof createTerminal>;

/** Creates a terminal. Colour, progress bars and questions are for people only. @param wide `--wide`: no limit */
export function createTerminal(host: Host, wide = false) {
  const { stdin, stdout, stderr, env } = host;
  const colourful = (stream: { isTTY?: boolean }) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (format: Parameters<typeof styleText>[0], text: string, stream: { isTTY?: boolean }) =>
    colourful(stream) ? styleText(format, text, { validateStream: false }) : text;
  /** Breaks the lines of a text that a person reads on a terminal. A pipe and a file get them whole. */
  const fitLines = (text: string, stream: Pick<typeof stdout, 'isTTY' | 'columns'>, options?: WrapOptions) => {
    const { isTTY, columns } = stream;
    if (!isTTY || !columns || wide) return text;
    const lines = text.split('\n').flatMap((line) => wrapLine(line, columns, options));
    return lines.join('\n');
  };
  let outcome: Outcome = 'ok';
  let written: Promise<void> = Promise.resolve();
  let bar: ReturnType<typeof showProgress> | undefined;

  const confirm = async (question: string, option = '--yes'): Promise<void> => {
    const advice = `Give ${option} to confirm.`;
    if (!stdin.isTTY || !stderr.isTTY) throw new Failure('usage', `${question} Cannot ask: no terminal.`, { advice });
    const ended = new AbortController();
    let answered = false;
    // At Ctrl-D and at the end of the input, a prompt stops reading, and does not say so. It also stops at its answer.
    const end = () => setImmediate(() => answered || ended.abort());
    stdin.once('pause', end);
    const prompts = await import('@clack/prompts');
    const answer = await prompts.confirm({
      message: visible(question),
      initialValue: false,
      input: stdin,
      output: stderr,
      signal: ended.signal,
    });
    answered = true;
    if (typeof answer === 'symbol') throw new Failure('interrupted', 'Interrupted. Nothing was changed.');
    if (!answer) throw new Failure('negative', 'Nothing was changed.');
  };
  const terminal = {
    env,
    cwd: () => host.cwd(),
    signal: host.signal ?? new AbortController().signal,
    stdin,

    get exitCode(): number {
      return exitCodes[outcome];
    },
    reportNegative(): void {
      outcome = 'negative';
    },

    /** Makes the command end with the exit code for a broken promise, unless its result is negative. */
    reportBroken(): void {
      if (outcome !== 'negative') outcome = 'broken';
    },

    /** Makes the command end with the exit code for a check that could not be made, unless its result is negative. */
    reportUnchecked(): void {
      if (outcome === 'ok') outcome = 'unchecked';
    },

    /** Writes text to stdout. Resolves when it is written. @throws Failure if it cannot be */
    write(text: string | Uint8Array): Promise<void> {
      written = new Promise((resolve, reject) => {
        const end = (error?: Error | null) => (error ? reject(outputFailure(error)) : resolve());
        // A stream without a reader keeps what comes after its error, and never calls back.
        if (stdout.errored) end(stdout.errored);
        else stdout.write(text, end);
      });
      written.catch(() => {});
      return written;
    },
    get written(): Promise<void> {
      return written;
    },
    /** Writes a line to stdout, wrapped on a terminal. @param options see `wrapLine` */
    async print(line: string, options?: WrapOptions): Promise<void> {
      await terminal.write(`${fitLines(escapeHidden(line), stdout, options)}\n`);
    },
    async json(value: unknown): Promise<void> {
      await terminal.write(`${formatJson(value)}\n`);
    },
    /** Writes values to stdout as one JSON array, without keeping them in memory. */
    async jsonArray(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
      let before = '[\n';
      for await (const value of values) {
        await terminal.write(`${before}${formatJson(value)}`);
        before = ',\n';
      }
      await terminal.write(before === '[\n' ? '[]\n' : '\n]\n');
    },
    /** Writes rows, or others with `--wide`, as a table. On a terminal it fits, and a note says what that cost. */
    async table(
      table: readonly Row[],
      { ifWide = table, ...options }: Pick<TableOptions, 'lastWidth' | 'wraps'> & { ifWide?: readonly Row[] } = {},
    ): Promise<void> {
      const rows = wide ? ifWide : table;
      const width = stdout.isTTY ? stdout.columns : undefined;
      const { lines, cut, leftOut } = formatTable(rows, { width, wide, ...options });
      for (const [index, line] of lines.entries()) {
        await terminal.write(`${index === 0 ? style('bold', line, stdout) : line}\n`);
      }
      if (leftOut.length > 0) terminal.note(`Left out to fit: ${leftOut.join(', ')}. --wide shows all columns.`);
      if (cut.length > 0) terminal.note(`Cut to fit: ${cut.join(', ')}. --wide shows the whole text.`);
    },

    /** Writes facts to stdout, one per line. @param options `full`: cut nothing, however long */
    async facts(facts: Facts, options: { full?: boolean | undefined } = {}): Promise<void> {
      const column = factColumn(facts);
      for (const line of formatFacts(facts, options)) await terminal.print(line, { indent: column });
    },

    /** Writes a sentence to stderr, as one line. @param format of the text on a colour terminal */
    note(text: string, format?: Parameters<typeof styleText>[0]): void {
      bar?.hide();
      const lines = fitLines(visible(text), stderr);
      stderr.write(`${format ? style(format, lines, stderr) : lines}\n`);
    },
    fail({ message, advice }: Failure): void {
      for (const line of message.split('\n')) terminal.note(line, 'red');
      if (advice !== undefined) terminal.note(advice);
    },

    /** Asks before a change that `option` would confirm. @throws Failure unless the answer is yes */
    confirm,
    /** Shows progress on a terminal: a bar if the total is known, else only the text. Elsewhere, it shows nothing. */
    progress(total: number | undefined, text: string): Progress {
      if (!colourful(stderr)) return { advance: () => {}, stop: () => {} };
      bar = showProgress(stderr, total, text);
      return bar;
    },
  };
  return terminal;
}
