import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

/** How the function's bundle is built, and so is whatever is measured beside it. */
export const BUILT_ALIKE = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
} satisfies BuildOptions;

/** A bundle of nothing but the DynamoDB client, built the same way. */
export function bareClient(folder: string): string {
  const outfile = join(folder, 'index.js');
  buildSync({
    stdin: {
      contents:
        "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient();",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile,
    ...BUILT_ALIKE,
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  return outfile;
}

/** Milliseconds that a fresh process takes to import a file. */
export function importTime(path: string, env: Record<string, string>): number {
  const script = `const t = performance.now(); import(${JSON.stringify(path)}).then(() => { console.log(performance.now() - t); process.exit(0); });`;
  return Number(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
}
