import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('each decision is linked from the code that it explains', () => {
  const namesIn = (path: string, link: RegExp) =>
    [...readFileSync(ROOT + path, 'utf8').matchAll(link)].map(([, name = '']) =>
      name.toLowerCase().replaceAll(' ', '-'),
    );
  const sources = globSync('{functions,infra,cli}/**/*.ts', { cwd: ROOT });
  const linked = sources.flatMap((path) => namesIn(path, /docs\/decisions\.md#([\w-]+)/g));
  expect([...new Set(linked)].sort()).toEqual(namesIn('docs/decisions.md', /^## (.*)/gm).sort());
});
