import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute } from '../setup/execute.ts';

const PYTHON = fileURLToPath(new URL('python/', import.meta.url));
const VECTORS = fileURLToPath(new URL('../vectors/evidence', import.meta.url));

/** False if this machine has no Python with the package `cryptography`: the test is skipped then. */
const hasPython = (await execute(['python3', '-c', 'import cryptography'])).exitCode === 0;

test.skipIf(!hasPython)(
  'a verifier that was written from docs/formats.md alone says the words of the vectors',
  async () => {
    const { stdout, exitCode } = await execute(['python3', '-B', 'agree.py', VECTORS], { cwd: PYTHON });
    expect([stdout, exitCode]).toEqual([expect.stringMatching(/^(\d+) of \1 vectors agree\n$/), 0]);
  },
);
