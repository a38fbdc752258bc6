import { Command } from '@commander-js/extra-typings';

/** What every command says about itself. An example is what stands behind `ailog`, with a word on what it does. */
interface About {
  readonly summary: string;
  readonly examples: readonly (readonly [line: string, what: string])[];
}

/** A command that needs no tables. */
export function command(name: string, { summary, examples }: About) {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, what]) => `  ailog ${line.padEnd(width)}  # ${what}\n`);
  return new Command(name)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${lines.join('')}`)
    .option('--json', 'answer in JSON')
    .option('--debug', 'show the stack of an error');
}

/** A command that works on the tables of a deployment or of the local run. */
export const targetCommand = (name: string, about: About) =>
  command(name, about)
    .option('--local', 'act on the local data, .local/ (default where it exists)')
    .option('--stack <name>', 'act on the deployment of this stack, such as AiLogUpload-prod')
    .option('--region <region>', "the stack's region, unless AWS_REGION or the profile says it")
    .option('--profile <name>', 'the AWS profile to act as');

/** A command that is only the beginning of others. */
export function group(name: string, summary: string, commands: readonly { readonly name: () => string }[]) {
  const parent = new Command(name).description(summary);
  // The types of the options differ from command to command, and do not matter to their parent.
  for (const child of commands) parent.addCommand(child as Command);
  return parent;
}
