import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The module formats that a bundle can have: its file name, its package's type, and what must stand at its top. */
const FORMATS = {
  cjs: { file: 'index.js', type: 'commonjs', banner: '' },
  // CommonJS packages inside the bundle still call require, which an ES module does not have.
  esm: {
    file: 'index.mjs',
    type: 'module',
    banner: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const;

/** What ships: the one that is imported faster. `npm run bench` measures both. */
const SHIPPED_FORMAT: keyof typeof FORMATS = 'cjs';

/** The Lambda handler setting that fits the bundle: file name without extension, then the export. */
export const BUNDLE_HANDLER = 'index.handler';

/** How a bundle for Lambda is built, whatever is in it. */
export const BUILD_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // The ES module builds of packages come first: only those can be shaken free of what is not used.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  logLevel: 'silent',
} satisfies BuildOptions;

/** What the bundle of the upload function is built from. */
export const UPLOAD_SOURCES = {
  entryPoints: ['functions/upload/index.ts'],
  absWorkingDir: ROOT,
  alias: { '@aws-sdk/credential-provider-node': './infra/build/lambdaCredentials.ts' },
} satisfies BuildOptions;

/**
 * Bundles the upload function with all it uses of its packages into one minified file, its source map beside it. The same
 * sources give the same bytes wherever the bundle is written to, so that an unchanged function is not deployed again.
 * @param outDir folder to write to, created where it is missing
 * @param options `format`: the shipped one unless told otherwise; `sourceMap`: whether to write the map (yes by default);
 * the bundle's own bytes are the same either way
 * @returns the path of the bundle
 * @throws esbuild's BuildFailure where the sources do not build
 */
export function bundleUpload(
  outDir: string,
  { format = SHIPPED_FORMAT, sourceMap = true }: { format?: keyof typeof FORMATS; sourceMap?: boolean } = {},
): string {
  const { file, type, banner } = FORMATS[format];
  const { outputFiles } = buildSync({
    ...BUILD_OPTIONS,
    ...UPLOAD_SOURCES,
    // Not written there: a fixed place keeps the paths inside the map the same for every outDir.
    outfile: join(ROOT, 'bundle', file),
    write: false,
    format,
    sourcemap: 'linked',
    banner: { js: banner },
  });
  mkdirSync(outDir, { recursive: true });
  // Says what index.js is, wherever it lies: Node need not guess, and no package.json above it has a say.
  writeFileSync(join(outDir, 'package.json'), JSON.stringify({ type }));
  for (const { path, contents } of outputFiles) {
    if (sourceMap || !path.endsWith('.map')) writeFileSync(join(outDir, basename(path)), contents);
  }
  return join(outDir, file);
}
