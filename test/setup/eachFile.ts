import { afterAll } from 'vitest';
import { closeOpened } from './closing.ts';

/** The environment as a test file finds it. Files of a worker share it, so each leaves it as it was. */
const found = { ...process.env };

// Runs after all other hooks of the file.
afterAll(async () => {
  await closeOpened();
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
