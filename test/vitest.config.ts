import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/engine.ts',
    // The handler's own words are read where a process of its own says them: test/upload/report.test.ts.
    env: {
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      POWERTOOLS_METRICS_DISABLED: 'true',
      POWERTOOLS_SERVICE_NAME: 'test',
      // `--mode thorough` lets the random tests run long.
      THOROUGH: mode === 'thorough' ? 'yes' : '',
    },
    // Two cores, and one engine that all files share: more workers than that only wait for each other.
    maxWorkers: 2,
    // What files import is loaded once a worker. They share no state: each has tables of its own.
    isolate: false,
    // Of tests that mostly wait.
    maxConcurrency: 12,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}));
