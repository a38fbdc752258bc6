import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The oldest browsers that know what the code uses. */
const BROWSERS = ['chrome121', 'firefox119', 'safari17'];

const MODULES: Readonly<Record<string, string>> = {
  'node:crypto': `module.exports = require('./crypto.ts')`,
  'node:buffer': `module.exports = require('./buffer.ts')`,
  // The page compresses nothing.
  'node:zlib': 'module.exports = {}',
};

/** Replaces the modules of Node. As CommonJS, so that they may lack what the page does not need. */
const standIns: Plugin = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => (path in MODULES ? { path, namespace: 'node' } : undefined));
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({ contents: MODULES[path] ?? '', resolveDir: HERE }));
  },
};

const sha256 = (text: string, encoding: 'base64' | 'hex') => hash('sha256', text, encoding);

/**
 * Builds the page on which anyone verifies evidence: one file, readable, always the same bytes:
 * docs/decisions.md#offline-page.
 * @returns the path of the page, its length in bytes and its hex SHA-256
 */
export async function packVerifyPage(folder: string) {
  const { outputFiles } = await build({
    absWorkingDir: join(HERE, '../../..'),
    entryPoints: ['cli/proof/page/page.ts'],
    bundle: true,
    format: 'esm',
    target: BROWSERS,
    plugins: [standIns],
    inject: ['cli/proof/page/buffer.ts'],
    legalComments: 'eof',
    logLevel: 'silent',
    write: false,
  });
  const read = (name: string) => readFileSync(join(HERE, name), 'utf8');
  const script = outputFiles[0]?.text as string;
  const style = read('page.css');
  const sources = `script-src 'sha256-${sha256(script, 'base64')}'; style-src 'sha256-${sha256(style, 'base64')}'`;
  const policy = `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  const parts: Readonly<Record<string, string>> = { policy, style, script };
  const page = read('page.html').replace(/\/\* (policy|style|script) \*\//g, (_, name) => parts[name] as string);
  const path = join(resolve(folder), 'ailog-verify.html');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, page);
  return { path, bytes: Buffer.byteLength(page), sha256: sha256(page, 'hex') };
}

if (import.meta.main) {
  const { path, bytes, sha256 } = await packVerifyPage('dist');
  console.log(`${path}, ${Math.round(bytes / 1024)} KB\nSHA-256 ${sha256}`);
}
