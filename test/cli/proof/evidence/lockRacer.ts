/**
 * A process that races others for abandoned locks. `node lockRacer.ts FOLDER PROCESSES ROUNDS`. In each round, all
 * processes start together to take `FOLDER/<round>.lock`. Each prints the rounds that it won, and keeps these locks
 * until it is killed.
 */
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lock } from '../../../../cli/shell/files/lock.ts';
import { Failure } from '../../../../cli/shell/terminal/failure.ts';

const [folder = '', processes, rounds] = process.argv.slice(2);
const won: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const path = join(folder, String(round));
  appendFileSync(`${path}.ready`, '.');
  while (statSync(`${path}.ready`).size < Number(processes));
  try {
    await lock(path, 0, { doing: 'racing', is: 'a racer' });
    won.push(round);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
console.log(JSON.stringify(won));
setInterval(() => {}, 60_000);
