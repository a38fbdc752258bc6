import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bundleUpload } from '../../infra/bundle.ts';
import { median, sideBySide } from './measure.ts';

const ROUNDS = 41;

/** What the bundle needs to be imported: nothing is called. */
const environment = {
  ALLOWLIST_TABLE: 'a',
  API_KEYS_TABLE: 'k',
  WEIGHTS_TABLE: 'w',
  AI_LOGS_TABLE: 'l',
  UID_QUOTA: '1000',
  IP_QUOTA: '1000',
  WINDOW_SECONDS: '10',
  REQUIRE_LOCALE: 'true',
  CREDENTIALS_KEY_ARN: 'arn:aws:kms:eu-west-1:111122223333:key/1',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nobody',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
};

/** A bundle of nothing but the DynamoDB client, built the same way. */
function bareClient(folder: string): string {
  const outfile = join(folder, 'index.js');
  buildSync({
    stdin: {
      contents:
        "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient();",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  return outfile;
}

/** Milliseconds that a fresh process takes to import a file. */
export function importTime(path: string, env: Record<string, string> = environment): number {
  const script = `const t = performance.now(); import(${JSON.stringify(path)}).then(() => { console.log(performance.now() - t); process.exit(0); });`;
  return Number(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
}

/** How long the bundle takes to import, beside the bare DynamoDB client and beside the other module format. */
export async function measureImports(): Promise<string[]> {
  const folder = () => mkdtempSync(join(tmpdir(), 'ailog-bench-'));
  const paths = {
    bare: bareClient(folder()),
    shipped: bundleUpload(folder(), { format: 'cjs' }),
    esm: bundleUpload(folder(), { format: 'esm' }),
  };
  const times = await sideBySide(ROUNDS, {
    bare: () => importTime(paths.bare),
    shipped: () => importTime(paths.shipped),
    esm: () => importTime(paths.esm),
  });
  const [bare, shipped, esm] = [median(times.bare), median(times.shipped), median(times.esm)];
  const line = (what: string, ms: number) => `| ${what} | ${ms.toFixed(1)} ms | ${(ms / bare).toFixed(2)} |`;
  return [
    `### Import, median of ${ROUNDS} fresh processes`,
    '',
    '| bundle | time | ratio |',
    '|---|---|---|',
    line('bare DynamoDB client', bare),
    line('the function, CommonJS (ships)', shipped),
    line('the function, ES module', esm),
  ];
}
