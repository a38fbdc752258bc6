import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileValidator, VALIDATOR_PATH } from '../../infra/build/compileValidator.ts';

test('the compiled validator is what the schema compiles to: if not, run `npm run generate`', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).toBe(compileValidator());
});

test('the compiled validator makes no code when it runs', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).not.toMatch(/new Function|\beval\b/);
});
