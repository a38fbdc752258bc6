import { execFileSync } from 'node:child_process';

/** Measures the import of a file in a fresh process, in milliseconds. */
export function importTime(path: string, env: Record<string, string>): number {
  const script = `const t = performance.now(); import(${JSON.stringify(path)}).then(() => { console.log(performance.now() - t); process.exit(0); });`;
  return Number(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }));
}
