import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/deploy/*.deploy.ts'],
    globalSetup: 'test/deploy/install.ts',
    // One emulator at a time: each of them runs functions and a deployment beside itself.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 300_000,
  },
});
