import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { areaOf } from './test/mutation/areas.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Files that take a minute or more. */
const LONG = /(page|verdict|start|demo|length|pack|bits|cells|attacks?|demoReview|short|clients|kinds)\.slow\.ts$/;

/** Starts long files first, so that none runs alone in the end. By itself, vitest starts large ones first. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification) => Number(!LONG.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => isShort(a) - isShort(b));
  }
}

/** Settings of every project that runs the function in this process. `--mode thorough` lets random tests run long. */
const inProcess = (mode: string) => ({
  globalSetup: 'test/setup/engine.ts',
  setupFiles: 'test/setup/eachFile.ts',
  // test/setup/written.ts records the lines of handlers that write them.
  env: {
    LOG_LEVEL: 'SILENT',
    // As in cli/ailog.js: stripping the types again would take longer than most programs that tests start.
    NODE_COMPILE_CACHE: `${root}node_modules/.cache/ailog`,
    THOROUGH: mode === 'thorough' ? 'yes' : '',
  },
  // Imports are loaded once per worker. Test files share no state: each has its own tables.
  isolate: false,
  // Tests leave much garbage: with this many megabytes for what is new, it is collected less often.
  execArgv: ['--max-semi-space-size=64'],
  // Most tests wait rather than compute.
  maxConcurrency: 12,
  // Far more than any test takes alone: some take half a minute where two cores have much else to do.
  testTimeout: 180_000,
  hookTimeout: 180_000,
});

/** Node loads the TypeScript by itself, as it does outside of tests: that takes a twentieth less of the CPU. */
const native = { experimental: { viteModuleRunner: false } };

/** The tests of one area, for the mutation tests. */
const mutation = (name: string) => {
  const { include, exclude } = areaOf(name);
  return {
    ...inProcess('test'),
    name: 'mutation',
    // Stryker runs tests in threads, which take no such options.
    execArgv: [],
    // The construct library and the SDK take seconds to load.
    isolate: name.startsWith('cli/'),
    include,
    exclude,
    setupFiles: ['test/setup/eachFile.ts', 'test/mutation/loadArea.ts'],
  };
};

/**
 * One project for each way of testing. `npm test` runs `unit`; docs/CONTRIBUTING.md has the commands of the others.
 * Tests that take seconds, because they start many processes or need much data, are in `slow`. The mutation project
 * exists only while Stryker runs, because its tests are also in the others.
 */
export default defineConfig(({ mode }) => ({
  root,
  test: {
    // On two cores, one worker more than that: tests also wait.
    maxWorkers: 3,
    // The seed of shuffled tests is printed; the nightly run has another one each time.
    sequence: { sequencer: LongFirst, seed: 1 },
    // A poll ends when its condition holds. A busy machine may take a while.
    expect: { poll: { timeout: 60_000 } },
    projects: process.env.STRYKER_MUTATOR_WORKER
      ? [{ root, test: mutation(process.env.AREA ?? '') }]
      : [
          {
            root,
            test: {
              ...inProcess(mode),
              ...native,
              name: 'unit',
              include: ['test/**/*.test.ts'],
              // No test continues another one.
              sequence: { shuffle: { tests: true } },
            },
          },
          {
            root,
            test: {
              ...inProcess(mode),
              ...native,
              name: 'slow',
              include: ['test/**/*.slow.ts'],
              // Some take a minute alone, and several where much else runs.
              testTimeout: 600_000,
              hookTimeout: 600_000,
              globalSetup: ['test/setup/engine.ts', 'test/setup/chromium.ts'],
            },
          },
          {
            root,
            test: {
              name: 'install',
              include: ['test/cli/*.install.ts'],
              globalSetup: 'test/setup/runFolder.ts',
              testTimeout: 60_000,
              hookTimeout: 300_000,
            },
          },
          {
            root,
            test: { ...inProcess(mode), name: 'pack', include: ['test/cli/pack/*.nodes.ts'], testTimeout: 240_000 },
          },
          {
            root,
            test: {
              ...inProcess(mode),
              name: 'interop',
              include: ['test/interop/*.interop.ts'],
              testTimeout: 120_000,
              hookTimeout: 900_000,
            },
          },
          {
            root,
            // The first run downloads the parser.
            test: {
              name: 'trino',
              include: ['test/trino/*.trino.ts'],
              globalSetup: 'test/setup/runFolder.ts',
              testTimeout: 60_000,
              hookTimeout: 300_000,
            },
          },
          {
            root,
            test: {
              name: 'deploy',
              include: ['test/deploy/*.deploy.ts'],
              globalSetup: ['test/setup/runFolder.ts', 'test/deploy/install.ts'],
              // One emulator at a time: each of them runs functions and a deployment beside itself.
              fileParallelism: false,
              // Far more than any takes alone: a deployment takes minutes where two cores have much else to do.
              testTimeout: 900_000,
              hookTimeout: 900_000,
            },
          },
        ],
  },
}));
