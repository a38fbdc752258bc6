/** Mutation testing of the rules: `npm run test:mutation`. What survives is explained in docs/reliability.md. */
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
  // Not there: Stryker would rewrite it with an interface of the compiler that TypeScript 7 does not have any more.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  tempDirName: '.stryker',
  ignorePatterns: ['.local', 'cdk.out', 'docs'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
