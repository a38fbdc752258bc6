/** Mutation testing of the rules: `npm run test:mutation`. docs/reliability.md explains the surviving mutations. */
export default {
  packageManager: 'npm',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { related: false },
  mutate: [
    'functions/auth/signature.ts',
    'functions/weights/*.ts',
    'functions/ailog/{jsonScanner,orderId,validateAiLog,entry}.ts',
  ],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // No such file, so that Stryker rewrites none: it would use a compiler interface that TypeScript 7 no longer has.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: '.stryker',
  ignorePatterns: ['.local', 'cdk.out', 'docs'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
