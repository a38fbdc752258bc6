import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { program } from '../../cli/main.ts';

const PAGE = new URL('../../docs/cli.md', import.meta.url);
const TABLE = /(?<=<!-- commands -->\n).*?(?=\n<!-- end of commands -->)/s;

/** `UPDATE=1 npx vitest run --project unit test/docs/cli` writes the table. */
test('the table on the page has every command, by whom it is for', async () => {
  const commands = await Promise.all(Object.values(program.commands).map(async (load) => (await load()).default));
  const rows = [...Map.groupBy(commands, (command) => command.for)].map(
    ([audience, theirs]) => `| ${audience} | ${theirs.map(({ words }) => `\`${words}\``).join(', ')} |`,
  );
  const table = ['| for | commands |', '|---|---|', ...rows].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE)
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  else expect(TABLE.exec(page)?.[0]).toBe(table);
});
