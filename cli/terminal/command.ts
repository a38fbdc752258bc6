import { Command } from '@commander-js/extra-typings';
import { PROGRAM } from './programName.ts';

/** The help of a command. An example is a command line without `ailog`, and its explanation. */
interface About {
  readonly summary: string;
  readonly examples: readonly (readonly [line: string, explanation: string])[];
}

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

/** Creates a command that works on the tables of a deployment or of the local data. */
export const targetCommand = (name: string, about: About) =>
  command(name, about)
    .option('--local', 'use the local data in .local/ (default if it exists)')
    .option('--stack <name>', 'use the deployment of this stack, such as AiLogUpload-prod')
    .option('--region <region>', 'the region of the stack (default: AWS_REGION or the profile)')
    .option('--profile <name>', 'the AWS profile to use');
