import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { BUILD_OPTIONS } from '../../infra/build/bundle.ts';

/** Bundles the DynamoDB client alone, with the build options of the function. @returns the path of the bundle */
export function bareClient(folder: string): string {
  const outfile = join(folder, 'index.js');
  buildSync({
    stdin: {
      contents:
        "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient();",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile,
    ...BUILD_OPTIONS,
    format: 'cjs',
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  return outfile;
}

/** Measures the import of a file in a fresh process, in milliseconds. */
export function importTime(path: string, env: Record<string, string>): number {
  const script = `const t = performance.now(); import(${JSON.stringify(path)}).then(() => { console.log(performance.now() - t); process.exit(0); });`;
  return Number(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
}
