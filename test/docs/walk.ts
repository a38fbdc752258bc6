/** One command of a walk, and what it printed. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/** The `console` block of a page: commands behind `$ `, each with its output. */
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

/** The page with these steps in its block. */
export const withSteps = (page: string, steps: readonly Step[]): string =>
  page.replace(/```console\n.*?```/s, () => {
    const block = steps.map(({ command, output }) => `$ ${command}\n${output}`).join('');
    return `\`\`\`console\n${block}\`\`\``;
  });

/** What differs from run to run, by what it is. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{13}-[0-9a-f]{32}\b/g, '<entry>'],
  [/\bailog_[0-9a-f]{32}\b/g, '<key>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b\d{13}\b/g, '<ms>'],
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, '<signature>'],
  [/\blocal:\S+/g, 'local:<user>'],
  [/;[rt]=\d+/g, ';<left>'],
  [/(?<= )\d+ s(?= )/g, '<span>'],
  // What is aligned is aligned by the lengths of all that.
  [/ {2,}/g, '  '],
];

/** Text in which nothing is left that differs from run to run. */
export const lasting = (text: string): string =>
  VOLATILE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);

/** The names that a later command may take from an output: entries and keys, in their order. */
export const namesIn = (text: string): string[] => text.match(/\b(\d{13}-[0-9a-f]{32}|ailog_[0-9a-f]{32})\b/g) ?? [];
