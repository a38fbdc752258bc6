import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));

/** Builds the page. @returns its files by their paths */
export async function bundlePage(): Promise<ReadonlyMap<string, { readonly type: string; readonly body: Uint8Array }>> {
  const { outputFiles } = await build({
    absWorkingDir: PAGE,
    entryPoints: ['main.tsx'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome125', 'firefox127', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    write: false,
  });
  const read = (name: string) => readFileSync(`${PAGE}${name}`);
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: read('page.html') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: outputFiles[0]?.contents as Uint8Array }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
  ]);
}
