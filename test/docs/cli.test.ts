import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { program } from '../../cli/main.ts';

const PAGE = new URL('../../docs/cli.md', import.meta.url);
const SESSION = new URL('../transcripts/session.txt', import.meta.url);

/**
 * Compares a part of the page with what it should be. `UPDATE=1 npx vitest run --project unit test/docs/cli` writes it.
 */
function expectPart(part: RegExp, wanted: string): void {
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE)
    writeFileSync(
      PAGE,
      page.replace(part, () => wanted),
    );
  else expect(part.exec(page)?.[0]).toBe(wanted);
}

test('the session on the page is its transcript', () => {
  const transcript = readFileSync(SESSION, 'utf8').replace(/^# .*\n/, '');
  expectPart(/```console\n.*?```/s, `\`\`\`console\n${transcript}\`\`\``);
});

test('the table on the page has every command, and what each says of itself', async () => {
  const rows = Object.values(program.commands).map(async (load) => {
    const { words, for: audience, args = {}, summary } = (await load()).default;
    const given = Object.values(args).map(({ name }) => ` ${name}`);
    return `| \`ailog ${words}${given.join('')}\` | ${audience} | ${summary} |`;
  });
  const head = ['| command | for | what it does |', '|---|---|---|'];
  const table = [...head, ...(await Promise.all(rows))].join('\n');
  expectPart(/(?<=<!-- commands -->\n).*?(?=\n<!-- end of commands -->)/s, table);
});
