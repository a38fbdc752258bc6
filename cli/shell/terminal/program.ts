import { setMaxListeners } from 'node:events';
import { inspect } from 'node:util';
import { Command, CommanderError, type Option } from '@commander-js/extra-typings';
import { formatSpan, span } from './arguments.ts';
import { exitCodes, failureOf } from './failure.ts';
import { createTerminal, type Host, type Terminal } from './terminal.ts';

/** Creates a command. Each command has arguments and options of its own type, which the program does not use. */
type CreateCommand = (terminal: Terminal) => { readonly name: () => string };

/** A command or a group: its name, the line about it in the help of its parent, and the heading there. */
type Listed = { readonly name: string; readonly summary: string; readonly heading?: string };

/** A command in the list of a program. Its file is loaded only if the arguments select the command. */
type LazyCommand = Listed & { readonly load: () => Promise<{ readonly default: CreateCommand }> };

type Group = Listed & { readonly commands: readonly (LazyCommand | Group)[] };

/** The list of a program: all of its commands. */
export type CommandList = Group & { readonly version: string };

/** Lists a command. @param load imports its file */
export const lazyCommand = (name: string, summary: string, load: LazyCommand['load']) => ({ name, summary, load });

/** Lists a group of commands. */
export const group = (name: string, summary: string, commands: Group['commands']) => ({ name, summary, commands });

/** Lists commands under a heading of the help that says who they are for. */
export const commandsFor = (heading: string, commands: Group['commands']): Group['commands'] =>
  commands.map((one) => ({ ...one, heading }));

/** Creates a command and its subcommands. Only the one that the words select has more than a name and a summary. */
async function createCommand(terminal: Terminal, one: LazyCommand | Group, words?: string[]): Promise<Command> {
  if ('commands' in one) {
    const parent = new Command(one.name).description(one.summary).helpGroup(one.heading ?? 'Commands:');
    for (const child of one.commands) {
      const rest = child.name === words?.[0] ? words.slice(1) : undefined;
      parent.addCommand(await createCommand(terminal, child, rest));
    }
    return parent;
  }
  const command = words ? ((await one.load()).default(terminal) as Command) : new Command(one.name);
  return command.summary(one.summary).helpGroup(one.heading ?? 'Commands:');
}

/** Makes a command fail if an option is given twice that has one value. Those that can be repeated collect theirs. */
function rejectTwice(command: Command, option: Option): void {
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    const collects = typeof command.getOptionValue(option.attributeName()) === 'object';
    if (isGiven && !collects) command.error(`error: option '${option.flags}' can be given once`);
    isGiven = true;
  });
}

/** Connects a command and its subcommands to the host's streams, and makes them throw instead of exit. */
function attach(command: Command, terminal: Terminal, { stdout, stderr }: Host): void {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.write(text),
      writeErr: (text) => stderr.write(text),
      outputError(text) {
        const message = text.trimEnd().replace(/^error: (.)/, (_match, first: string) => first.toUpperCase());
        for (const line of message.split(/\n(?=\(Did you mean .*\)$)/)) terminal.note(line);
      },
      getOutHasColors: () => stdout.isTTY === true,
      getErrHasColors: () => stderr.isTTY === true,
    })
    .showHelpAfterError('--help shows the usage.');
  for (const option of command.options) {
    // The help would show a span in milliseconds.
    if (option.parseArg === span) option.default(option.defaultValue, formatSpan(option.defaultValue as number));
    if (option.required || option.optional) rejectTwice(command, option);
  }
  for (const child of command.commands) attach(child as Command, terminal, { stdout, stderr } as Host);
}

/** Turns `help logs list` into `logs list --help`, which Commander understands at any depth. */
function expandHelp(list: CommandList, args: readonly string[]): readonly string[] {
  if (args[0] !== 'help') return args;
  const words = args.slice(1).filter((arg) => !arg.startsWith('-'));
  let commands = list.commands;
  for (const word of words) {
    const child = commands.find(({ name }) => name === word);
    // Without --help, an unknown word is a usage error.
    if (!child) return words;
    commands = 'commands' in child ? child.commands : [];
  }
  return [...words, '--help'];
}

/** Runs one command line. @param given the arguments, without `node` and the script @returns the exit code */
export async function runProgram(list: CommandList, given: readonly string[], host: Host): Promise<number> {
  const terminal = createTerminal(host, given.includes('--wide'));
  const args = expandHelp(list, given);
  try {
    // The words without options select the command to load.
    const words = args.filter((arg) => !arg.startsWith('-'));
    const program = (await createCommand(terminal, list, words))
      .version(list.version, '-V, --version', 'print the version')
      .commandsGroup('Help:')
      .helpCommand('help [command...]', 'Show the help of a command.');
    attach(program, terminal, host);
    await program.parseAsync(args, { from: 'user' }).catch((error) => {
      // After --help and --version, nothing is left to do.
      if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    });
    await terminal.written;
    return terminal.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodes.usage;
    const failure = failureOf(error);
    if (failure.outcome !== 'unread') terminal.fail(failure);
    const stack = args.includes('--debug') ? inspect(failure.cause ?? failure, { colors: false }).split('\n') : [];
    for (const line of stack) terminal.note(line);
    return exitCodes[failure.outcome];
  }
}

/** Runs the command line of this process, and sets its exit code. Ctrl-C ends a command in order, twice at once. */
export async function runProcess(list: CommandList): Promise<void> {
  const { env, stdin, stdout, stderr } = process;
  const stop = new AbortController();
  // Many requests may wait for it at once. Node 20 would warn of a leak.
  setMaxListeners(0, stop.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(exitCodes.interrupted) : stop.abort()));
  }
  // The end of the terminal, which both the system and the shell may announce. nohup cannot prevent that it ends the
  // command: when Node starts, it takes back that the signal is ignored.
  process.on('SIGHUP', () => stop.abort());
  // What cannot be written to stdout ends the command: see `write` of the terminal. Notes are not worth that.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  const args = process.argv.slice(2);
  const code = await runProgram(list, args, { env, stdin, stdout, stderr, cwd: process.cwd, signal: stop.signal });
  process.exitCode = code;
  // A command that was interrupted, or whose output nobody reads, may have left timers and sockets open.
  if (code === exitCodes.interrupted || code === exitCodes.unread) process.exit();
}
