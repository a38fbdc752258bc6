import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const BUNDLE_HANDLER = 'index.handler';

export const BUILD_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Prefers the ES module builds of packages, because tree shaking works on those only.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'silent',
} satisfies BuildOptions;

/** Returns the esbuild options that select the sources of a function. @param name its folder in functions/ */
const sourcesOf = (name: string) =>
  ({
    entryPoints: [`functions/${name}/index.ts`],
    absWorkingDir: ROOT,
    alias: { '@aws-sdk/credential-provider-node': './infra/build/lambdaCredentials.ts' },
  }) satisfies BuildOptions;

export const SOURCES = {
  upload: sourcesOf('upload'),
  sequencer: sourcesOf('sequencer'),
  indexer: sourcesOf('indexer'),
} as const;

/**
 * Bundles a function and its packages into one minified file. The same sources give the same bytes in any folder, so
 * that an unchanged function is not deployed again. It is CommonJS: docs/decisions.md#commonjs-bundle.
 * @param sourceMap false omits the map, which does not change the bundle @throws BuildFailure of esbuild
 */
export function buildBundle(
  sources: ReturnType<typeof sourcesOf>,
  sourceMap = true,
): ReadonlyMap<string, Uint8Array | string> {
  const { outputFiles } = buildSync({
    ...BUILD_OPTIONS,
    ...sources,
    // Nothing is written to this path, which keeps the paths in the map the same in every folder.
    outfile: join(ROOT, 'bundle/index.js'),
    write: false,
    format: 'cjs',
    // The SDK imports node:http in a promise. As an import, that reads every export of node:http, and one of them loads
    // all of undici. As a call of require, it does not.
    supported: { 'dynamic-import': false },
    sourcemap: 'linked',
  });
  const kept = outputFiles.filter(({ path }) => sourceMap || !path.endsWith('.map'));
  return new Map<string, Uint8Array | string>([
    // Fixes the module type of the bundle: Node neither guesses it nor reads a package.json further up.
    ['package.json', JSON.stringify({ type: 'commonjs' })],
    ...kept.map(({ path, contents }) => [basename(path), contents] as const),
  ]);
}

/** Writes the files of a bundle to a folder, which is created if it is missing. */
export function writeBundle(files: ReturnType<typeof buildBundle>, outDir: string): void {
  mkdirSync(outDir, { recursive: true });
  for (const [name, contents] of files) {
    const path = join(outDir, name);
    try {
      writeFileSync(path, contents);
    } catch (error) {
      // An error of the write itself, such as a full disk, does not name the file.
      throw Object.assign(error as Error, { path });
    }
  }
}

/** Bundles a function into a folder. See `buildBundle`. @returns the path of the bundle */
export function bundle(sources: ReturnType<typeof sourcesOf>, outDir: string): string {
  writeBundle(buildBundle(sources), outDir);
  return join(outDir, 'index.js');
}

export const bundleUpload = (outDir: string): string => bundle(SOURCES.upload, outDir);
