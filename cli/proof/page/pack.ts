import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The oldest browsers with Ed25519. */
const BROWSERS = ['chrome137', 'firefox129', 'safari17'];

/** What the page with access to the network may reach: any public log, and that of `npm start`. */
const CONNECT = ' connect-src https: http://127.0.0.1:* http://localhost:*;';

/** Replaces the modules of Node. As CommonJS, so that they may lack what the page does not need. */
const standIns: Plugin = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node' }));
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = require('./${path === 'node:crypto' ? 'crypto' : 'node'}.ts');`,
      resolveDir: HERE,
    }));
  },
};

const sha256 = (text: string, encoding: 'base64' | 'hex') => hash('sha256', text, encoding);

/**
 * Builds the page on which anyone verifies evidence, one file, from the code of `ailog verify`. It is not minified, so
 * that others can read it. The same checkout always gives the same bytes.
 * @param isOnline `ailog-verify-online.html`, which may look entries up, not `ailog-verify.html`, without network
 * access
 * @returns the path of the page, its length in bytes and its hex SHA-256
 */
export async function packVerifyPage(folder: string, isOnline = false) {
  const { outputFiles } = await build({
    absWorkingDir: join(HERE, '../../..'),
    entryPoints: [isOnline ? 'cli/proof/page/onlinePage.ts' : 'cli/proof/page/page.ts'],
    bundle: true,
    format: 'esm',
    target: BROWSERS,
    plugins: [standIns],
    inject: ['cli/proof/page/node.ts'],
    legalComments: 'eof',
    logLevel: 'silent',
    write: false,
  });
  const read = (name: string) => readFileSync(join(HERE, name), 'utf8');
  const [script, style] = [outputFiles[0]?.text as string, read('page.css')];
  const sources = `script-src 'sha256-${sha256(script, 'base64')}'; style-src 'sha256-${sha256(style, 'base64')}'`;
  const policy = `default-src 'none'; ${sources};${isOnline ? CONNECT : ''} base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
  const parts: Readonly<Record<string, string>> = { policy, style, script };
  const page = read('page.html').replace(/\/\* (policy|style|script) \*\//g, (_, name) => parts[name] as string);
  const path = join(resolve(folder), isOnline ? 'ailog-verify-online.html' : 'ailog-verify.html');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, page);
  return { path, bytes: Buffer.byteLength(page), sha256: sha256(page, 'hex') };
}

if (import.meta.main) {
  for (const isOnline of [false, true]) {
    const { path, bytes, sha256 } = await packVerifyPage('dist', isOnline);
    console.log(`${path}, ${Math.round(bytes / 1024)} KB\nSHA-256 ${sha256}`);
  }
}
