import { setMaxListeners } from 'node:events';
import { inspect } from 'node:util';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { formatSpan, span, WrongArgument } from './arguments.ts';
import type { Audience, Command as DefinedCommand } from './defineCommand.ts';
import { exitCodes, failureOf } from './failure.ts';
import { PROGRAM } from './programName.ts';
import { runCommand, type Values } from './runCommand.ts';
import { createTerminal, type Host, type Terminal } from './terminal.ts';

/** Loads the file of a command: only if the arguments select it, or for a help that lists it. */
type Load = () => Promise<{ readonly default: DefinedCommand }>;

/** A program: its groups by their word, and its commands by their words. */
export interface Program {
  readonly version: string;
  readonly summary: string;
  readonly groups: Readonly<Record<string, { readonly for: Audience; readonly summary: string }>>;
  readonly commands: Readonly<Record<string, Load>>;
}

/** Returns what reads a text for Commander, which puts the argument or option before the sentence of an error. */
const reading = (read: (text: string, before: never) => unknown) => (text: string, before: unknown) => {
  try {
    return read(text, before as never);
  } catch (error) {
    throw error instanceof WrongArgument ? new InvalidArgumentError(error.message) : error;
  }
};

function addValues(command: Command, defined: DefinedCommand): void {
  for (const { name, help, read, choices } of Object.values(defined.args ?? {})) {
    const argument = new Argument(name, help);
    if (choices) argument.choices(choices);
    if (read) argument.argParser(reading(read));
    command.addArgument(argument);
  }
  for (const one of [...Object.values(defined.options ?? {}), ...Object.values(defined.on?.options ?? {})]) {
    const option = new Option(one.flags, one.help).makeOptionMandatory(one.required ?? false);
    if (one.choices) option.choices(one.choices);
    if (one.read) option.argParser(reading(one.read));
    // The help would show a span in milliseconds.
    const shown = one.read === span && one.default !== undefined ? formatSpan(Number(one.default)) : undefined;
    if (one.default !== undefined) option.default(one.default, shown);
    command.addOption(option);
  }
}

/** Returns the values that were given for a definition, by their names in it. A switch is true or false. */
function valuesOf(command: Command, defined: DefinedCommand): Values {
  const args = Object.keys(defined.args ?? {}).map((name, place) => [name, command.processedArgs[place]]);
  const options = Object.entries({ ...defined.on?.options, ...defined.options }).map(([name, { flags }]) => {
    const value = command.getOptionValue(new Option(flags).attributeName());
    return [name, flags.includes('<') ? value : value === true];
  });
  return Object.fromEntries([...args, ...options]);
}

function commandOf(name: string, defined: DefinedCommand, terminal: Terminal): Command {
  const { summary, details, examples, forms = [], shape } = defined;
  const lines = examples.map(([line, explanation]) => `  # ${explanation}\n  ${PROGRAM} ${line}\n`);
  const command = new Command(name)
    .summary(summary)
    // Lines wrap at the width of the terminal, not where lines of the definition end.
    .description(details ? `${summary}\n${details.replaceAll('\n', ' ')}` : summary)
    .addHelpText('after', `\nExamples:\n${lines.join('')}`)
    .helpGroup(`${defined.for}:`);
  addValues(command, defined);
  if (shape === 'change') {
    command.option('-y, --yes', 'do not ask').option('--dry-run', 'show what would change, and change nothing');
  }
  command.option('--json', 'print the answer as JSON');
  if (forms.includes('csv')) command.option('--csv', 'print CSV');
  if (forms.includes('wide')) {
    command.option('--wide', 'let tables be wider than the terminal, and cut no text in them');
  }
  command.option('--debug', 'print the stack trace of an error');
  const isGiven = (option: string) => command.getOptionValue(option) === true;
  return command.action(() => {
    const given = { json: isGiven('json'), csv: isGiven('csv'), yes: isGiven('yes'), dryRun: isGiven('dryRun') };
    return runCommand(terminal, defined, valuesOf(command, defined), given);
  });
}

/** Creates the tree of commands. Only the command of the words is loaded, or all commands that the help lists. */
async function createProgram(terminal: Terminal, program: Program, words: readonly string[]): Promise<Command> {
  const root = new Command(PROGRAM).description(program.summary);
  const [first = '', second = ''] = words;
  const selected = [`${first} ${second}`, first].find((name) => Object.hasOwn(program.commands, name));
  for (const [name, load] of Object.entries(program.commands)) {
    const [word = '', below] = name.split(' ');
    const group = below === undefined ? undefined : program.groups[word];
    let parent = root;
    if (below !== undefined) {
      const known = root.commands.find((one) => one.name() === word) as Command | undefined;
      parent = known ?? new Command(word);
      if (!known) root.addCommand(parent.description(group?.summary ?? '').helpGroup(`${group?.for}:`));
    }
    const isListed =
      selected === undefined && (below === undefined ? !Object.hasOwn(program.groups, first) : word === first);
    const leaf = below ?? word;
    const isLoaded = name === selected || isListed;
    parent.addCommand(isLoaded ? commandOf(leaf, (await load()).default, terminal) : new Command(leaf));
  }
  return root;
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
    if (option.required || option.optional) rejectTwice(command, option);
  }
  for (const child of command.commands) attach(child as Command, terminal, { stdout, stderr } as Host);
}

/** Turns `help logs list` into `logs list --help`, which Commander understands at any depth. */
function expandHelp({ commands }: Program, args: readonly string[]): readonly string[] {
  if (args[0] !== 'help') return args;
  const words = args.slice(1).filter((arg) => !arg.startsWith('-'));
  const isKnown = Object.keys(commands).some((name) => `${name} `.startsWith(`${words.join(' ')} `.trimStart()));
  // Without --help, an unknown word is a usage error.
  return isKnown ? [...words, '--help'] : words;
}

/** Runs one command line. @param given the arguments, without `node` and the script @returns the exit code */
export async function runProgram(listed: Program, given: readonly string[], host: Host): Promise<number> {
  const terminal = createTerminal(host, given.includes('--wide'));
  const args = expandHelp(listed, given);
  try {
    // The words without options select the command to load.
    const words = args.filter((arg) => !arg.startsWith('-'));
    const program = (await createProgram(terminal, listed, words))
      .version(listed.version, '-V, --version', 'print the version')
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
export async function runProcess(program: Program): Promise<void> {
  const { env, stdin, stdout, stderr } = process;
  const stop = new AbortController();
  // Many requests may wait for it at once. Node 20 would warn of a leak.
  setMaxListeners(0, stop.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(exitCodes.interrupted) : stop.abort()));
  }
  // The end of the terminal. nohup cannot prevent that it ends the command: Node takes back that the signal is ignored.
  process.on('SIGHUP', () => stop.abort());
  // A failed write to stdout ends the command (`write` of the terminal). A failed note does not.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  const args = process.argv.slice(2);
  const code = await runProgram(program, args, { env, stdin, stdout, stderr, cwd: process.cwd, signal: stop.signal });
  process.exitCode = code;
  // A command that was interrupted, or whose output nobody reads, may have left timers and sockets open.
  if (code === exitCodes.interrupted || code === exitCodes.unread) process.exit();
}
