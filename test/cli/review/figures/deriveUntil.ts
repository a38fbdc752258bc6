/** `deriveUntil.ts N FOLDER`: derives a file, and is killed before its Nth change of a file. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [, , steps = '', folder = ''] = process.argv;
let left = Number(steps);
for (const name of ['mkdirSync', 'chmodSync', 'renameSync', 'writeFileSync', 'utimesSync', 'rmSync'] as const) {
  const change = fs[name] as (...given: unknown[]) => unknown;
  const changeOrEnd = (...given: unknown[]) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return change(...given);
  };
  Object.assign(fs, { [name]: changeOrEnd });
}
syncBuiltinESMExports();

const { derive } = await import('../../../../cli/review/figures/derivedFiles.ts');
await derive(folder, { from: 'source', rows: 'rows' }, async (path) => {
  fs.writeFileSync(path, 'half');
  fs.writeFileSync(path, 'half and half');
  return 'value';
});
