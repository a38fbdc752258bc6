/**
 * Loads the modules of the area before the tests. Otherwise, Stryker credits what a module computes while it loads,
 * such as a regular expression, to the first test that runs a command, and runs no other test for it.
 */
import { globSync } from 'node:fs';
import { areaOf } from './areas.ts';

/** Modules that start a program or belong into a thread of their own. */
const STARTED = /\/(main|start|app|cdk|fillDemo|compileValidator|describeApi|pack)\.ts$/;

const [wanted = '', ...others] = areaOf(process.env.AREA ?? '').mutate;
const exclude = others.map((glob) => glob.replace(/^!/, ''));
for (const path of globSync(wanted, { exclude })) if (!STARTED.test(`/${path}`)) await import(`../../${path}`);
