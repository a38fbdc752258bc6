/** Evidence gets the same verdict from code in which a threshold, a column and a field of the AI log were changed. */
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { execute } from '../../../setup/execute.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { vectors } from '../../../vectors/evidence/judge.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const FOLDERS = ['functions', 'infra', 'cli', 'test/c2sp', 'test/setup', 'test/vectors'];
const COPIED = [...FOLDERS, 'package.json', 'tsconfig.json'];

/** A copy of the code, which the test changes. */
const copy = temporaryFolder();
const run = (...args: string[]) => execute([process.execPath, ...args], { cwd: copy, env: process.env });

/** Changes the one place in a folder of the copy that matches a pattern. */
function change(folder: string, pattern: RegExp, replacement: string): void {
  const paths = globSync(`${folder}/**/*.ts`, { cwd: copy }).map((path) => join(copy, path));
  const found = paths.filter((path) => pattern.test(readFileSync(path, 'utf8')));
  expect(found, `${pattern}`).toHaveLength(1);
  const [path = ''] = found;
  writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, replacement));
}

beforeAll(async () => {
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

  change('cli/review', /manyOf\('hidden_characters'\)/, "'hidden_characters >= 0'");
  change('cli/review', /^( *)(hiddenCharacters: row\.hidden_characters,)$/m, '$1$2\n$1column: 1,');
  // A log of the evidence has a text of this name: members that the schema does not have are allowed.
  change('functions/ailog', /^( *)stage: \{\n/m, "$1confidence: { type: 'number' },\n$1stage: {\n");
  const generated = await run('infra/build/compileValidator.ts');
  expect(generated, generated.stderr).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(copy, 'functions/ailog/validator.js'), 'utf8')).toContain('confidence');
});

test('every file gets the verdict that was recorded', async () => {
  const judged = await run('test/vectors/evidence/judge.ts');
  expect(judged, judged.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(judged.stdout)).toEqual(
    vectors.map(({ name, exitCode, verdicts, reasons }) => ({ name, exitCode, verdicts, reasons })),
  );
});
