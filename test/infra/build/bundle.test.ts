import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { buildBundle, bundleUpload, SOURCES, writeBundle } from '../../../infra/build/bundle.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

const folder = () => temporaryFolder();

/** In bytes, most of them the AWS SDK. A larger bundle means that a package was added by accident. */
const SIZE_LIMIT = 330_000;

const path = bundleUpload(folder());
const code = readFileSync(path);
const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[] };

// Other tests of this process may have set it.
vi.stubEnv('ALLOWLIST_TABLE', undefined);
afterAll(() => vi.unstubAllEnvs());
/** The error of a function that was loaded and has read its environment. */
const withoutEnvironment = 'Environment variables missing or wrong: ALLOWLIST_TABLE';

test(`is one file below ${SIZE_LIMIT} bytes, with a source map`, () => {
  expect(basename(path)).toBe('index.js');
  expect(readdirSync(join(path, '..'))).toEqual(['index.js', 'index.js.map', 'package.json']);
  expect(code.length).toBeLessThan(SIZE_LIMIT);
});

test('has the same bytes in every folder, with or without the map', () => {
  const other = folder();
  writeBundle(buildBundle(SOURCES.upload, false), other);
  expect(readdirSync(other)).toEqual(['index.js', 'package.json']);
  expect(readFileSync(join(other, 'index.js')).equals(code)).toBe(true);
});

test('runs as a CommonJS module, although the project has ES modules', () => {
  expect(JSON.parse(readFileSync(join(path, '..', 'package.json'), 'utf8'))).toEqual({ type: 'commonjs' });
  expect(() => createRequire(path)(path)).toThrow(withoutEnvironment);
});

test('contains neither a schema compiler nor code that evaluates text', () => {
  expect(sources.filter((source) => /\/ajv\/|aws-cdk|infra\/(?!build\/lambdaCredentials)/.test(source))).toEqual([]);
  expect(code.toString()).not.toMatch(/new Function\(|\beval\(/);
});

test('loads no module with import(): of node:http, that would load all of undici in each cold start', () => {
  expect(code.toString()).not.toMatch(/\bimport\(/);
});
