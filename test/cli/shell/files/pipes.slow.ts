import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute, MAIN, temporaryFolder } from '../../../setup/world.ts';
import { textOf } from '../../../vectors/evidence/vectors.ts';

const files = { 'tlog.policy': textOf('tlog.policy'), 'receipt.txt': textOf('receipt.header') };

/** Runs a command beside evidence and a pipe that nobody writes to, and ends it if it waits for the pipe. */
async function runBesidePipe(args: readonly string[]) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  await execute(['mkfifo', join(cwd, 'pipe')]);
  return execute(['timeout', '-s', 'KILL', '40', process.execPath, MAIN, ...args], { cwd });
}

test
  .runIf(process.platform !== 'win32')
  .concurrent.each([
    ['verify pipe'],
    ['verify receipt.txt --policy pipe'],
    ['verify receipt.txt --body pipe'],
    ['tlog audit --log . --policy pipe'],
    ['tlog audit --log . --policy tlog.policy --known pipe'],
  ])('%s: a pipe that nobody writes to is refused', async (line) => {
  const { exitCode, stderr } = await runBesidePipe(line.split(' '));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('pipe is a pipe or a device, not a file.\n')]);
});
