/**
 * `npm run bench`: what the service costs in time and capacity, each figure beside the one it is to be compared with, in
 * the same run. Absolute times are this machine's; the ratios are what docs/performance.md is about.
 */
import { cpus } from 'node:os';
import { startEngine } from '../../infra/local/engine.ts';
import { measureCapacity } from './capacity.ts';
import { measureHandler } from './handler.ts';
import { measureImports } from './imports.ts';

Object.assign(process.env, { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
const engine = await startEngine();
process.env.DYNAMODB_ENDPOINT = engine.endpoint;
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
for (const measure of [measureImports, measureHandler, measureCapacity]) {
  console.log(`${(await measure()).join('\n')}\n`);
}
await engine.stop();
process.exit(0);
