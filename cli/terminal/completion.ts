import { Argument, type Command } from '@commander-js/extra-typings';
import { command } from './command.ts';
import type { Terminal } from './terminal.ts';

/** A script for each shell. Each one asks `ailog completion SHELL -- WORDS` for the words that can follow, or offers files. */
const scripts = {
  bash: `_ailog() {
  local IFS=$'\\n'
  COMPREPLY=($(ailog completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _ailog ailog
`,
  zsh: `_ailog() {
  local -a found
  found=(\${(f)"$(ailog completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _ailog ailog
`,
  fish: `complete -c ailog -a '(ailog completion fish -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const;

/**
 * Returns the words that can be the last one of a command line: commands, or options if it starts with a hyphen.
 * @param createProgram loads the command that these words select
 */
async function complete(
  words: readonly string[],
  createProgram: (words: readonly string[]) => Promise<Command>,
): Promise<string[]> {
  const begun = words.at(-1) ?? '';
  const before = words.slice(0, -1).filter((word) => !word.startsWith('-'));
  const path = before[0] === 'help' ? before.slice(1) : before;
  let at: Command = await createProgram(path);
  for (const word of path) {
    const child = at.commands.find((one) => one.name() === word);
    if (!child) break;
    at = child as Command;
  }
  const options = at.createHelp().visibleOptions(at);
  const candidates = begun.startsWith('-')
    ? options.flatMap(({ long }) => long ?? [])
    : at
        .createHelp()
        .visibleCommands(at)
        .map((one) => one.name());
  return candidates.filter((word) => word.startsWith(begun));
}

export const printCompletion = (terminal: Terminal, createProgram: (words: readonly string[]) => Promise<Command>) =>
  command('completion', {
    summary: 'Print a script that completes commands and options of ailog in a shell. ailog must be on the path.',
    examples: [
      ['completion bash >> ~/.bashrc', 'bash; then open a new shell'],
      ['completion zsh >> ~/.zshrc', 'zsh; then open a new shell'],
      ['completion fish > ~/.config/fish/completions/ailog.fish', 'fish'],
    ],
  })
    .usage('[options] <shell>')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts) as (keyof typeof scripts)[]))
    .argument('[words...]', 'for the script: the words up to the cursor')
    .action(async (shell, words, { json }) => {
      if (words.length > 0) {
        for (const word of await complete(words, createProgram)) await terminal.print(word);
      } else if (json) await terminal.json({ shell, script: scripts[shell] });
      else await terminal.write(scripts[shell]);
    });
