/**
 * Mutation testing: `npm run test:mutation` changes every area, `npm run test:mutation -- functions/tlog` one. With
 * `SAMPLE=20`, it changes one statement of 20. docs/evidence.md explains the surviving mutations. Stryker and its
 * packages are not among those of the project: they are fetched here first, and none of them runs a script.
 */
import { execSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { areaNames, areaOf } from './areas.ts';

const stryker = join('test/mutation/node_modules/.bin/stryker');
const chosen = process.argv.length > 2 ? process.argv.slice(2) : areaNames;
chosen.forEach(areaOf);
execSync('npm install --prefix test/mutation --prefer-offline', { stdio: 'inherit' });
for (const area of chosen) {
  console.log(`\n## ${area}\n`);
  const env = { ...process.env, AREA: area };
  const { status } = spawnSync(`${stryker} run test/mutation/stryker.config.js`, {
    env,
    stdio: 'inherit',
    shell: true,
  });
  if (status !== 0) process.exitCode = 1;
}
