import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { program } from '../../cli/main.ts';

const PAGE = new URL('../../docs/cli.md', import.meta.url);
const TABLE = /(?<=<!-- commands -->\n).*?(?=\n<!-- end of commands -->)/s;

/** `UPDATE=1 npx vitest run --project unit test/docs/cli` writes the table. */
test('the table on the page has every command, and what each says of itself', async () => {
  const rows = Object.values(program.commands).map(async (load) => {
    const { words, for: audience, args = {}, summary } = (await load()).default;
    const given = Object.values(args).map(({ name }) => ` ${name}`);
    return `| \`ailog ${words}${given.join('')}\` | ${audience} | ${summary} |`;
  });
  const table = ['| command | for | what it does |', '|---|---|---|', ...(await Promise.all(rows))].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE)
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  else expect(TABLE.exec(page)?.[0]).toBe(table);
});
