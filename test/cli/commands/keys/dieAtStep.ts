/**
 * Loaded before a command (`DIE_AT=7 node --import …`): kills its process before its seventh step that changes a
 * credentials file, the record of those or a table, or just after a table was changed.
 */
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

let left = Number(process.env.DIE_AT);
const step = () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};
const isTraced = (path: unknown) => /\.env|handed-over/.test(String(path));
const traced = new Set<unknown>();

for (const name of ['openSync', 'writeFileSync', 'linkSync', 'renameSync', 'rmSync', 'appendFileSync'] as const) {
  const change = fs[name] as (...given: unknown[]) => unknown;
  const changeOrEnd = (...given: unknown[]) => {
    if (isTraced(given[0])) step();
    const result = change(...given);
    if (name === 'openSync' && isTraced(given[0])) traced.add(result);
    return result;
  };
  Object.assign(fs, { [name]: changeOrEnd });
}
for (const name of ['writeSync', 'fsyncSync', 'closeSync'] as const) {
  const change = fs[name] as (...given: unknown[]) => unknown;
  const changeOrEnd = (...given: unknown[]) => {
    if (traced.has(given[0])) step();
    if (name === 'closeSync') traced.delete(given[0]);
    return change(...given);
  };
  Object.assign(fs, { [name]: changeOrEnd });
}
const { request } = http;
const requestOrEnd = (...given: Parameters<typeof request>) => {
  const sent = request(...given);
  if (!String(sent.getHeader('x-amz-target')).endsWith('PutItem')) return sent;
  step();
  return sent.once('response', (response) => response.once('end', step));
};
Object.assign(http, { request: requestOrEnd });
syncBuiltinESMExports();
