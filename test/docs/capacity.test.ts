import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from '../setup/commandLine.ts';

const PAGE = fileURLToPath(new URL('../../docs/capacity.md', import.meta.url));

test('docs/capacity.md shows what its commands print', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const blocks = [...page.matchAll(/```console\n\$ npx ailog ([^\n]*)\n.*?```/gs)];
  expect(blocks).toHaveLength(2);
  let written = page;
  for (const [block, command = ''] of blocks) {
    const { exitCode, stdout } = await runCommand(command.split(' '));
    expect(exitCode).toBe(0);
    written = written.replace(
      block,
      () => `\`\`\`console
$ npx ailog ${command}
${stdout}\`\`\``,
    );
  }
  // To update the page with the real output: WALK=write npx vitest run test/docs/capacity.test.ts
  if (process.env.WALK === 'write') writeFileSync(PAGE, written);
  else expect(page).toBe(written);
});
