import { Command } from '@commander-js/extra-typings';
import { PROGRAM } from './programName.ts';

/** The help of a command. An example is a command line without `ailog`, and its explanation. */
type About = Readonly<{ summary: string; examples: readonly (readonly [line: string, explanation: string])[] }>;

/** Creates a command that needs no tables. */
export function command(name: string, { summary, examples }: About) {
  const lines = examples.map(([line, explanation]) => `  # ${explanation}\n  ${PROGRAM} ${line}\n`);
  return new Command(name)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${lines.join('')}`)
    .option('--json', 'print the answer as JSON')
    .option('--wide', 'let tables be wider than the terminal, and cut no text in them')
    .option('--debug', 'print the stack trace of an error');
}

/** The options that a command reads. @typeParam Create the function that creates the command */
export type OptionsOf<Create extends () => { opts(): unknown }> = ReturnType<ReturnType<Create>['opts']>;
