import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, type Ran, temporaryFolder } from '../setup/world.ts';

/** The programs of other people, built from test/interop/go: its own, which calls libraries, and two whole programs. */
const PACKAGES = {
  'ailog-interop': '.',
  fsck: 'github.com/transparency-dev/tessera/cmd/fsck',
  litewitness: 'filippo.io/torchwood/cmd/litewitness',
};

/** The third-party programs. */
export type Programs = NonNullable<Awaited<ReturnType<typeof buildPrograms>>>;

/** The reason of skipped tests. */
export const NO_GO = 'this machine has no go, which builds the programs that check the log';

/**
 * Builds the programs. The first build downloads their modules, whose hashes are in go.sum, and takes minutes.
 * @returns undefined if Go is not installed
 * @throws Error if a program cannot be built
 */
export async function buildPrograms() {
  const { exitCode } = await execute(['go', 'version']);
  if (exitCode !== 0) {
    // The reporter only counts skipped tests.
    console.warn(`SKIPPED: ${NO_GO}. Install it from https://go.dev/dl, then run the tests again.`);
    return undefined;
  }
  const folder = temporaryFolder();
  const cwd = fileURLToPath(new URL('go', import.meta.url));
  const built = await execute(['go', 'build', '-o', `${folder}/`, ...Object.values(PACKAGES)], { cwd });
  if (built.exitCode !== 0) throw new Error(`The programs in ${cwd} cannot be built:\n${built.stderr}`);
  const pathOf = (program: keyof typeof PACKAGES) => join(folder, program);

  /** Runs a command of the program in test/interop/go. */
  const call = (args: readonly string[], input = ''): Promise<Ran> =>
    execute([pathOf('ailog-interop'), ...args], { input });

  return {
    folder,
    pathOf,
    call,
    /** Runs a command of the program in test/interop/go that must succeed. @returns its output */
    async ask(args: readonly string[], input = ''): Promise<string> {
      const { exitCode: code, stdout, stderr } = await call(args, input);
      if (code !== 0) throw new Error(`ailog-interop ${args[0]}: ${stderr}`);
      return stdout;
    },
  };
}
