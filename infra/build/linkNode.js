/*
 * Runs after each change of node_modules, and links the Node that package.json pins, which scripts run on. npm 10, the
 * npm of Node 20 and 22, removes this link when it leaves out the packages of other platforms, which have the same one.
 * Plain JavaScript, because the Node that runs this is older.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const name = `node-${platform}-${process.arch}`;
const npm = process.env.npm_execpath;

if (npm && existsSync(`node_modules/${name}`) && !existsSync('node_modules/.bin/node')) {
  execFileSync(process.execPath, [npm, 'rebuild', name, '--ignore-scripts'], { stdio: 'ignore' });
}
