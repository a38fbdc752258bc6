/**
 * A command, as data and a function that does the work. `runCommand.ts` runs it; `program.ts` makes its parser and
 * help.
 */
import type { Facts, Row, TableOptions } from './format.ts';
import type { Terminal } from './terminal.ts';
import type { WrapOptions } from './wrapLine.ts';

/** Reads the text of an option or an argument. One that can be repeated gets what was read before, too. */
type Read = (text: string, before: never) => unknown;

/** An argument. `name`: `<uid>` is required, `[file]` is not, `<uid...>` takes several. */
interface Arg {
  readonly name: string;
  readonly help: string;
  readonly read?: Read;
  readonly choices?: readonly string[];
}

/** An option. `flags`: `--full` is a switch, `-o, --output <file>` takes a value, `--no-sync` is on unless given. */
interface Option {
  readonly flags: string;
  readonly help: string;
  readonly read?: Read;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
}

export type Args = Readonly<Record<string, Arg>>;
export type Options = Readonly<Record<string, Option>>;

type Text<Given> = Given extends { readonly read: (text: string, before: never) => infer Value }
  ? Value
  : Given extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : string;

type ArgValue<Given> = Given extends { readonly name: `${string}...${string}` }
  ? Given extends { readonly read: Read }
    ? Text<Given>
    : readonly string[]
  : Given extends { readonly name: `<${string}` }
    ? Text<Given>
    : Text<Given> | undefined;

type OptionValue<Given> = Given extends { readonly flags: `${string}<${string}` }
  ? Given extends { readonly required: true } | { readonly default: unknown }
    ? Text<Given>
    : Text<Given> | undefined
  : boolean;

/** The values of options by their names. A switch is true or false; without a default, another may be undefined. */
export type OptionValues<O extends Options> = { readonly [Name in keyof O]: OptionValue<O[Name]> };

export type Asked<A extends Args, O extends Options> = {
  readonly [Name in keyof A]: ArgValue<A[Name]>;
} & OptionValues<O>;

/** The thing that a command opens, and the options that select it. `use` opens it, runs the work and closes it. */
export interface Opener<Opened extends object> {
  /** Its name in the table of commands. */
  readonly kind: string;
  readonly options: Options;
  readonly use: (terminal: Terminal, asked: never, work: (opened: Opened) => Promise<void>) => Promise<void>;
}

export const defineOpener = <Opened extends object, const O extends Options>(opener: {
  readonly kind: string;
  readonly options: O;
  readonly use: (terminal: Terminal, asked: OptionValues<O>, work: (opened: Opened) => Promise<void>) => Promise<void>;
}): Opener<Opened> => opener;

/** The part of the terminal that a command may use while it works: all that does not print its answer. */
export type Surroundings = Pick<
  Terminal,
  ('env' | 'cwd' | 'signal' | 'stdin' | 'note' | 'progress') | ('reportNegative' | 'reportBroken' | 'reportUnchecked')
>;

/** The context of a command, beside the thing that it opens. */
export interface Context {
  readonly terminal: Surroundings;
  readonly dryRun: boolean;
  /** Says a sentence after the answer, whatever form that has. */
  remark(sentence: string): void;
  /** Makes the command fail after its answer, with a `Failure` or an error that it did not expect. */
  endWith(error: unknown): void;
}

/** A part of an answer: a line, or lines, facts, a table; a text as it is; or a note about it, which goes to stderr. */
export type Block =
  | string
  | { readonly lines: Iterable<string>; readonly wrap?: WrapOptions }
  | { readonly facts: Facts; readonly full?: boolean }
  | ({ readonly table: readonly Row[]; readonly ifWide?: readonly Row[] } & Pick<TableOptions, 'lastWidth' | 'wraps'>)
  | { readonly text: string }
  | { readonly note: string };

export type Blocks = Iterable<Block> | AsyncIterable<Block>;

/** Who a command is for: its heading in the help. */
export type Audience = 'Admins' | 'Reviewers' | 'Operators' | 'Operators and auditors' | 'Teams';

interface About<A extends Args, O extends Options, Opened extends object> {
  /** The words after `ailog`, which are the path of its file too: `logs show` is in commands/logs/show.ts. */
  readonly words: string;
  readonly for: Audience;
  /** The line about it in lists. Its own help goes on with `details`. */
  readonly summary: string;
  readonly details?: string;
  /** Command lines without `ailog`, each with its explanation. */
  readonly examples: readonly (readonly [line: string, explanation: string])[];
  readonly args?: A;
  readonly options?: O;
  /** The thing that it opens; without it, nothing. */
  readonly on?: Opener<Opened>;
  /** Checks that what is asked for fits together, before anything is opened. @throws Failure */
  readonly check?: (asked: Asked<A, O>) => void;
  /** How it prints beside text and `--json`: `wide` if it has a table, `csv` if its answer is a list of rows. */
  readonly forms?: readonly ('wide' | 'csv')[];
}

interface Answering<Answer, Wanted> {
  readonly shows: (answer: NoInfer<Answer>, asked: Wanted) => Blocks;
  /** Returns what `--json` and `--csv` print of the answer; without it, the answer itself. */
  readonly json?: (answer: NoInfer<Answer>) => unknown;
  readonly csv?: (answer: NoInfer<Answer>, asked: Wanted) => AsyncIterable<string> | Iterable<string>;
}

/** A question before a change. `--yes` answers it, or else an option of its own. */
export type Question = string | { readonly ask: string; readonly option: string; readonly given: boolean };

export interface Plan<Planned, Answer> {
  /** The changes to make. `--dry-run` prints them, and a person sees them before the questions. */
  readonly plan: Planned;
  /** Without questions, nobody is asked: running the command again can undo the change. */
  readonly questions?: readonly Question[];
  /** Makes the change; undefined: there is nothing to change, and the plan is the answer. */
  readonly apply: (() => Answer | Promise<Answer>) | undefined;
}

/** A command of any arguments, options and answer, as the runner sees it. */
export interface Command extends Omit<About<Args, Options, object>, 'check'> {
  /** Who prints: the runner an answer, the runner a change after asking, or the command itself. */
  readonly shape: 'answer' | 'change' | 'terminal';
  readonly check?: (asked: never) => void;
  readonly run: (asked: never, context: never) => unknown;
  readonly shows?: (answer: never, asked: never) => Blocks;
  readonly plans?: (plan: never, asked: never) => Blocks;
  readonly json?: (answer: never) => unknown;
  readonly csv?: (answer: never, asked: never) => AsyncIterable<string> | Iterable<string>;
}

/** Defines a command that changes nothing: `run` returns its answer, a value or rows as an `AsyncIterable`. */
export const defineCommand = <
  Answer,
  const A extends Args = Record<never, never>,
  const O extends Options = Record<never, never>,
  Opened extends object = object,
>(
  command: About<A, O, Opened> & {
    readonly run: (asked: Asked<A, O>, context: Context & Opened) => Answer | Promise<Answer>;
  } & Answering<Answer, Asked<A, O>>,
): Command => ({ ...command, shape: 'answer' });

/** Defines a command with `--yes` and `--dry-run`, which the runner shows (`plans`), asks about and applies. */
export const defineChange = <
  Planned,
  Answer,
  const A extends Args = Record<never, never>,
  const O extends Options = Record<never, never>,
  Opened extends object = object,
>(
  command: About<A, O, Opened> & {
    readonly run: (asked: Asked<A, O>, context: Context & Opened) => Promise<Plan<Planned, Answer>>;
    readonly plans: (plan: NoInfer<Planned>, asked: Asked<A, O>) => Blocks;
  } & Answering<Answer, Asked<A, O>>,
): Command => ({ ...command, shape: 'change' });

/** Defines a command that owns the terminal: `run` prints by itself, for as long as it likes. */
export const defineTerminalCommand = <
  const A extends Args = Record<never, never>,
  const O extends Options = Record<never, never>,
  Opened extends object = object,
>(
  command: About<A, O, Opened> & {
    readonly run: (
      asked: Asked<A, O> & { readonly json: boolean },
      context: { readonly terminal: Terminal } & Opened,
    ) => Promise<void>;
  },
): Command => ({ ...command, shape: 'terminal' });
