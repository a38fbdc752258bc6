import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';

/**
 * Starts an in-memory DynamoDB engine for the whole test run, unless DYNAMODB_ENDPOINT names one already. Gives the run
 * a temporary folder of its own, which is removed at the end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-test-'));
  process.env.TMPDIR = folder;
  const engine = process.env.DYNAMODB_ENDPOINT ? undefined : await startEngine();
  if (engine) process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  return async () => {
    await engine?.stop();
    // A program that a test has ended may write for a moment more.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
}
