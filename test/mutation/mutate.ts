/**
 * Mutation testing: `npm run test:mutation` changes every area, `npm run test:mutation -- functions/tlog` one. With
 * `SAMPLE=20`, it changes one statement of 20. docs/reliability.md explains the surviving mutations.
 */
import { spawnSync } from 'node:child_process';
import { areaNames, areaOf } from './areas.ts';

const chosen = process.argv.length > 2 ? process.argv.slice(2) : areaNames;
chosen.forEach(areaOf);
for (const area of chosen) {
  console.log(`\n## ${area}\n`);
  const { status } = spawnSync('stryker', ['run', 'test/mutation/stryker.config.js'], {
    env: { ...process.env, AREA: area },
    stdio: 'inherit',
    shell: true,
  });
  if (status !== 0) process.exitCode = 1;
}
