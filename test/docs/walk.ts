/** A command of the session, and its output. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/** Parses the `console` block of a page: commands after `$ `, each with its output. */
export function stepsOf(page: string): Step[] {
  const [, block = ''] = /```console\n(.*?)```/s.exec(page) ?? [];
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.split('\n');
      return { command, output: lines.join('\n') };
    });
}

/** Returns the page with these steps in its `console` block. */
export const withSteps = (page: string, steps: readonly Step[]): string =>
  page.replace(/```console\n.*?```/s, () => {
    const block = steps.map(({ command, output }) => `$ ${command}\n${output}`).join('');
    return `\`\`\`console\n${block}\`\`\``;
  });

/** Patterns of text that differs from run to run, and a placeholder for each. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{13}-[0-9a-f]{32}\b/g, '<entry>'],
  [/\bailog_[0-9a-f]{32}\b/g, '<key>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b\d{13}\b/g, '<ms>'],
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '<signature>'],
  [/\blocal:\S+/g, 'local:<user>'],
  // The leaves of a batch are sorted by their hashes.
  [/\bindex \d+\b/g, 'index <i>'],
  [/\bentry hash [0-9a-f]{64}\b/g, 'entry hash <hash>'],
  [/\b[0-9a-f]{8}\b/g, '<key id>'],
  [/;[rt]=\d+/g, ';<left>'],
  [/(?<= )\d+ s(?= )/g, '<span>'],
  // The alignment depends on the lengths of the values above.
  [/ {2,}/g, '  '],
];

/** Replaces everything that differs from run to run with placeholders. */
export const stable = (text: string): string =>
  VOLATILE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);

/** Returns the ids in an output that a later command may use: entry ids and access keys, in order. */
export const namesIn = (text: string): string[] => text.match(/\b(\d{13}-[0-9a-f]{32}|ailog_[0-9a-f]{32})\b/g) ?? [];
