/**
 * `npm run bench`, or `npm run bench handler load` for single parts: measures time and capacity, with a comparison for
 * each figure in the same run. `BENCH_REVISION=main npm run bench revision` compares the bundle with that of a git
 * revision. Absolute times depend on the machine. docs/evidence.md explains the ratios.
 */
import { cpus } from 'node:os';
import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';
import openRunFolder from '../setup/runFolder.ts';
import { measureBytes } from './bytes.ts';
import { measureCapacity } from './capacity.ts';
import { measureCold } from './cold.ts';
import { measureConsole } from './console.ts';
import { measureGrowth } from './growth.ts';
import { measureHandler } from './handler.ts';
import { measureHostile } from './hostile.ts';
import { measureLoad } from './load.ts';
import { measureLog } from './log.ts';
import { measureMiddleware } from './middleware.ts';
import { compareRevision } from './revision.ts';
import { measureSoak } from './soak.ts';
import { measureTiming } from './timing.ts';

/** The parts that run if none is named. */
const usual = {
  cold: measureCold,
  handler: measureHandler,
  middlewares: measureMiddleware,
  capacity: measureCapacity,
  bytes: measureBytes,
  load: measureLoad,
  hostile: measureHostile,
  timing: measureTiming,
};

/** All parts. The others take minutes each, or gigabytes. */
const parts = {
  ...usual,
  revision: compareRevision,
  log: measureLog,
  growth: measureGrowth,
  soak: measureSoak,
  console: measureConsole,
};
type Part = keyof typeof parts;

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`Unknown benchmark "${unknown.join('", "')}". Choose from: ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}

openRunFolder();
// Without a handler, a signal ends the process before it removes its folder.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
for (const name of (chosen.length > 0 ? chosen : Object.keys(usual)) as Part[]) {
  const engine = await startEngine();
  process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  // Commands would prefer it.
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  console.log(`${(await parts[name]()).join('\n')}\n`);
  await engine.stop();
}
process.exit();
