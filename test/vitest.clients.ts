import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** The clients whose languages a machine may lack: `npm run test:clients` says which ran, and why another did not. */
export default defineConfig((environment) => {
  const { root, test } = config(environment);
  return {
    ...(root && { root }),
    test: { ...test, include: ['test/docs/clients.languages.ts'], reporters: ['verbose'], testTimeout: 120_000 },
  };
});
