import { fileURLToPath } from 'node:url';
import { areaNames, areaOf } from './areas.ts';

const area = process.env.AREA ?? areaNames[0];

/** Stryker's settings for the area of the environment variable AREA. `mutate.js` runs one area after another. */
export default {
  packageManager: 'npm',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', fileURLToPath(new URL('sample.js', import.meta.url))],
  ignorers: ['sample'],
  vitest: { related: false },
  mutate: areaOf(area).mutate,
  coverageAnalysis: 'perTest',
  // To mutate what a module computes while it loads takes a new process for each mutation. It is worth it for infra/
  // only, because its tests make their templates while they load.
  ignoreStatic: !area.startsWith('infra/'),
  concurrency: Number(process.env.CONCURRENCY ?? 2),
  dryRunTimeoutMinutes: 20,
  // A mutation that times out counts as detected, so that a busy machine must not look like an endless loop.
  timeoutMS: 20_000,
  // No such file, so that Stryker rewrites none: it would use a compiler interface that TypeScript 7 no longer has.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: '.stryker',
  ignorePatterns: ['.local', 'cdk.out'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
