/**
 * A process that races others for new key files. `node keyRacer.ts FOLDER ROUNDS` creates `FOLDER/<round>.key` in each
 * round and prints what it then reads. It starts when `FOLDER/go` exists.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyFile } from '../../../cli/local/localData.ts';

const [folder = '', rounds] = process.argv.slice(2);
console.log('ready');
while (!existsSync(join(folder, 'go')));
for (let round = 0; round < Number(rounds); round += 1) {
  const path = join(folder, `${round}.key`);
  createKeyFile(path);
  console.log(readFileSync(path, 'utf8'));
}
