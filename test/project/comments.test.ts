import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import biome from '../../.biome.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Matches a line of a comment that has room for a break. */
const COMMENT = /^\s*(\/\/|\/?\*).* .* /;

test('comments wrap where the formatter wraps code, which does not touch comments', () => {
  const { lineWidth } = biome.formatter;
  const files = globSync(['vitest.config.ts', '{functions,infra,cli,test}/**/*.{ts,tsx,js}'], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(500);
  const wide = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > lineWidth && COMMENT.test(line) ? [`${file}:${index + 1}`] : [])),
  );
  expect(wide).toEqual([]);
});
