import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../setup/browser.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { IMAGES, shots, takeShots } from './screenshots.ts';

let taken: Awaited<ReturnType<typeof takeShots>>;
beforeAll(async () => {
  if (hasBrowser) taken = await takeShots(temporaryFolder());
});

describe.runIf(hasBrowser)('the screenshots of README.md', () => {
  test.each(shots)('%s shows what the page says today; otherwise run node test/docs/screenshots.ts', (name) => {
    expect(taken.get(name)?.text).toBe(readFileSync(join(IMAGES, `${name}.txt`), 'utf8'));
  });
});

test.each(shots)('%s is in README.md, and small', (name) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`(docs/images/${name}.png)`);
  expect(readFileSync(join(IMAGES, `${name}.png`)).length).toBeLessThan(300_000);
});
