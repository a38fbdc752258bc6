import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute, temporaryFolder } from '../../../setup/world.ts';

const cli = (file: string) => JSON.stringify(new URL(`../../../../cli/${file}`, import.meta.url).href);
/** More than a file may have here, and more than the program writes to any other file. */
const TEXT = `'x'.repeat(100_000)`;

/** Runs a program in which a limit on the size of files takes the place of a full disk. @returns how its error reads */
async function writeOnFullDisk(source: string): Promise<string> {
  const cwd = temporaryFolder();
  const program = join(cwd, 'program.ts');
  writeFileSync(
    program,
    `import { failureOf } from ${cli('shell/terminal/failure.ts')};
    import { openSync } from 'node:fs';
    import { writeFully } from ${cli('shell/files/write.ts')};
    import { openJournal } from ${cli('proof/evidence/journal.ts')};
    try { ${source} } catch (error) { console.log(failureOf(error).message); }`,
  );
  const limited = 'ulimit -f 1; exec "$0" "$1"';
  const { stdout, stderr } = await execute(['sh', '-c', limited, process.execPath, program], {
    cwd,
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  return stdout + stderr;
}

// biome-ignore format: one case a line
test.runIf(process.platform !== 'win32').concurrent.each([
  ['an export', 'a.part', `writeFully('a.part', openSync('a.part', 'w'), Buffer.from(${TEXT}));`],
  ['a result file', 'a', `(await openJournal('a', { url: 'u', accessKey: 'k' })).add({ file: ${TEXT} });`],
])('%s that no longer fits on the disk is named', async (_name, path, source) => {
  expect(await writeOnFullDisk(source)).toBe(`The file ${path} cannot be used: it would be larger than a file may be (EFBIG).\n`);
});
