import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKnown } from '../../../../cli/proof/audit/known.ts';
import { linesOf, openRegularFile } from '../../../../cli/shell/files/openRegularFile.ts';
import { readExport } from '../../../../cli/store/exports/readExport.ts';
import { parsePolicy } from '../../../../functions/c2sp/policy.ts';
import { execute, MAIN } from '../../../setup/execute.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { makeEvidence, ORIGIN } from '../../commands/tlog/evidenceFixture.ts';

const { files } = await makeEvidence();

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
    ['verify mine.receipt --policy pipe'],
    ['verify mine.receipt --body pipe'],
    ['verify mine.tlog-proof --preimage pipe'],
    ['tlog audit --log . --policy pipe'],
    ['tlog audit --log . --policy tlog.policy --previous pipe'],
  ])('%s: a pipe that nobody writes to is refused', async (line) => {
  const { exitCode, stderr } = await runBesidePipe(line.split(' '));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('pipe is a pipe or a device, not a file.\n')]);
});

test.runIf(process.platform !== 'win32')('a pipe is no known entry, no export and no statement', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  await execute(['mkfifo', pipe]);
  const policy = parsePolicy(files['tlog.policy']);
  for (const reading of [readKnown(pipe, ORIGIN, policy), readExport(pipe), linesOf(pipe)]) {
    await expect(reading.next()).rejects.toThrow(`${pipe} is a pipe or a device, not a file.`);
  }
});

test.runIf(process.platform === 'linux')('a file that is refused is closed', () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const path of ['/dev/null', '/tmp']) expect(() => openRegularFile(path)).toThrow(/is a (pipe|folder)/);
  expect(openFiles()).toBe(before);
});
