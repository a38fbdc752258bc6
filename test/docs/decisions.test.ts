import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = `${ROOT}docs/decisions/`;

test('each decision is linked from the code that it explains, and listed in the index', () => {
  const pages = readdirSync(FOLDER).filter((page) => page !== 'README.md');
  const pagesIn = (text: string, link: RegExp) => [...text.matchAll(link)].map(([, page]) => page);
  const sources = globSync('{functions,infra,cli}/**/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(ROOT + path, 'utf8'),
  );
  const linked = sources.flatMap((source) => pagesIn(source, /docs\/decisions\/([\w-]+\.md)/g));
  expect([...new Set(linked)].sort()).toEqual(pages.sort());
  expect(pagesIn(readFileSync(`${FOLDER}README.md`, 'utf8'), /\]\(([\w-]+\.md)\)/g).sort()).toEqual(pages.sort());
});
