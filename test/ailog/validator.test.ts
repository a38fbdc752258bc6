import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileValidator, VALIDATOR_PATH } from '../../infra/build/compileValidator.ts';

test('the compiled validator is up to date with the schema (if not, run `npm run generate`)', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).toBe(compileValidator());
});

test('the compiled validator generates no code at run time', () => {
  expect(readFileSync(VALIDATOR_PATH, 'utf8')).not.toMatch(/new Function|\beval\b/);
});
