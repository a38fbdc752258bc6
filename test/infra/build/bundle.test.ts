import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleUpload } from '../../../infra/build/bundle.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'bundle-'));

/** Bytes. Most of it is the AWS SDK; a rise tells of a package that came along unasked. */
const SIZE_LIMIT = 330_000;

const path = bundleUpload(folder());
const code = readFileSync(path);
const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[] };

test(`is one file of at most ${SIZE_LIMIT} bytes, its source map beside it`, () => {
  expect(basename(path)).toBe('index.js');
  expect(readdirSync(join(path, '..'))).toEqual(['index.js', 'index.js.map', 'package.json']);
  expect(code.length).toBeLessThan(SIZE_LIMIT);
});

test('has the same bytes wherever it is written, with or without its map', () => {
  const other = folder();
  const alone = bundleUpload(other, { sourceMap: false });
  expect(readdirSync(other)).toEqual(['index.js', 'package.json']);
  expect(readFileSync(alone).equals(code)).toBe(true);
});

test('is also made as an ES module', () => {
  expect(basename(bundleUpload(folder(), { format: 'esm' }))).toBe('index.mjs');
});

test('holds no compiler of schemas, and nothing that makes code out of text', () => {
  expect(sources.filter((source) => /\/ajv\/|aws-cdk|infra\//.test(source))).toEqual([]);
  expect(code.toString()).not.toMatch(/new Function\(|\beval\(/);
});
