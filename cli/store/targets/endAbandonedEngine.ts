/**
 * Launches an engine, and ends it when the processes that use it have ended without that. Whoever wants an engine
 * starts this program and holds its standard input, so that none is without it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../shell/files/lock.ts';

const [endpoint = '', dataFolder = '', program = '', ...args] = process.argv.slice(2);

/** An engine that was just launched answers within this number of looks. */
const LOOKS = 20;

const endToo = () => process.exit();
const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
child.once('exit', endToo);
const engine = { endpoint, pid: child.pid as number };
// Nobody reads it if the process was killed meanwhile.
process.stdout.on('error', () => {});
console.log(engine.pid);
// It ends with the launching process, however that one ends.
await once(process.stdin.resume(), 'end');
child.off('exit', endToo);
// Loading the SDK takes longer than most engines take to start.
const { isServing, leave } = await import('./embeddedEngine.ts');
let hasAnswered = false;
for (let looks = 0; looks < LOOKS && isRunning(engine.pid); looks += 1) {
  while (await isServing(engine)) {
    hasAnswered = true;
    await leave(dataFolder || undefined, engine.pid);
    await sleep(500);
  }
  await sleep(500);
}
// Nobody can use an engine that never answered.
if (!hasAnswered) child.kill();
