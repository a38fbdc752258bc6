import { styleText } from 'node:util';
import { confirm, isCancel, password, progress, spinner } from '@clack/prompts';
import { exitCodes, Failure, type Outcome } from './failure.ts';
import { formatJson, formatTable, type Row } from './format.ts';

/** What a command line runs in: the process itself, or a test's. */
export type Host = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd'> & {
  /** Aborted when the user wants to stop. */
  readonly signal?: AbortSignal;
};

/** How a step of something long is told. */
export interface Progress {
  /** So many steps further; the text says where. */
  readonly advance: (steps: number, text: string) => void;
  readonly stop: (text: string) => void;
}

/** The terminal as commands use it. Answers go to stdout, everything else to stderr. */
export type Terminal = ReturnType<typeof createTerminal>;

/** A terminal on a process. Colour, progress and questions exist only where a person sits in front of it. */
export function createTerminal(host: Host) {
  const { stdin, stdout, stderr, env } = host;
  const colourful = (stream: { isTTY?: boolean }) => stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const style = (format: Parameters<typeof styleText>[0], text: string, stream: { isTTY?: boolean }) =>
    colourful(stream) ? styleText(format, text, { validateStream: false }) : text;
  let outcome: Outcome = 'ok';

  const asks = stdin.isTTY === true && stderr.isTTY === true;
  const terminal = {
    env,
    cwd: () => host.cwd(),
    signal: host.signal ?? new AbortController().signal,
    stdin,

    /** How the command ends, unless it throws. */
    get exitCode(): number {
      return exitCodes[outcome];
    },
    /** The command's work is done, and the answer is no. */
    reportNegative(): void {
      outcome = 'negative';
    },

    /** Text for stdout, as it is; resolves when there is room for more. */
    async write(text: string | Uint8Array): Promise<void> {
      if (stdout.write(text)) return;
      await new Promise<void>((resolve) => stdout.once('drain', resolve));
    },
    /** A line for stdout. */
    async print(line: string): Promise<void> {
      await terminal.write(`${line}\n`);
    },
    /** A value for stdout, as JSON. */
    async json(value: unknown): Promise<void> {
      await terminal.print(formatJson(value));
    },
    /** Values for stdout, one JSON array, however many they are. */
    async jsonArray(values: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
      let before = '[\n';
      for await (const value of values) {
        await terminal.write(`${before}${formatJson(value)}`);
        before = ',\n';
      }
      await terminal.print(before === '[\n' ? '[]' : '\n]');
    },
    /** Rows for stdout, aligned in columns; the keys of the first row are the heads. */
    async table(rows: readonly Row[]): Promise<void> {
      for (const [index, line] of formatTable(rows).entries()) {
        await terminal.print(index === 0 ? style('bold', line, stdout) : line);
      }
    },

    /** A sentence for stderr. */
    note(text: string): void {
      stderr.write(`${text}\n`);
    },
    /** A failure for stderr: what is wrong, and what to do. */
    fail({ message, advice }: Failure): void {
      stderr.write(`${style('red', message, stderr)}${advice === undefined ? '' : `\n${advice}`}\n`);
    },

    /**
     * Asks before something that cannot be undone by the same command.
     * @param yes `--yes`: do not ask
     * @throws Failure where the answer is no, or nobody is there to answer
     */
    async confirm(question: string, yes: boolean | undefined): Promise<void> {
      if (yes) return;
      if (!asks) throw new Failure('usage', `${question} Nobody is there to ask.`, { advice: 'Give --yes to do it.' });
      const answer = await confirm({ message: question, initialValue: false, input: stdin, output: stderr });
      if (isCancel(answer) || !answer) throw new Failure('negative', 'Nothing was changed.');
    },
    /** Asks for something that must not be seen. @throws Failure where nobody is there to ask */
    async secret(message: string, advice: string): Promise<string> {
      if (!asks) throw new Failure('usage', `${message} is needed, and nobody is there to ask.`, { advice });
      const answer = await password({ message, input: stdin, output: stderr });
      if (isCancel(answer) || !answer) throw new Failure('negative', 'Nothing was changed.');
      return answer;
    },
    /** Shows on a terminal how far something is, by a bar where the total is known; elsewhere nothing. */
    progress(total: number | undefined, text: string): Progress {
      if (!colourful(stderr)) return { advance: () => {}, stop: () => {} };
      if (total === undefined) {
        const sign = spinner({ output: stderr, signal: terminal.signal });
        sign.start(text);
        return { advance: (_steps, where) => sign.message(where), stop: (end) => sign.stop(end) };
      }
      const bar = progress({ max: Math.max(1, total), output: stderr, signal: terminal.signal });
      bar.start(text);
      return { advance: (steps, where) => bar.advance(steps, where), stop: (end) => bar.stop(end) };
    },
  };
  return terminal;
}
