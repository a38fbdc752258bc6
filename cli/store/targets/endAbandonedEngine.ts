/**
 * Ends an engine when its processes have ended without doing so: they were killed, or failed. The process that launches
 * the engine starts this program beside it, and holds the other end of its standard input.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../shell/files/lock.ts';
import { isServing, leave } from './embeddedEngine.ts';

const [endpoint = '', pid, dataFolder] = process.argv.slice(2);
const engine = { endpoint, pid: Number(pid) };

/** An engine that was just launched answers within this number of looks. */
const LOOKS = 20;

// It ends with the launching process, however that one ends.
await once(process.stdin.resume(), 'end');
for (let looks = 0; looks < LOOKS && isRunning(engine.pid); looks += 1) {
  while (await isServing(engine)) await leave(dataFolder, engine.pid).then(() => sleep(500));
  await sleep(500);
}
