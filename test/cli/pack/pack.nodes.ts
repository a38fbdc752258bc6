import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { execute } from '../../setup/execute.ts';
import { testPackedOn } from './packedSuite.ts';

/** The versions of Node that the packed command line is tried on; the first one is the oldest that it supports. */
const VERSIONS = ['20.12.0', '20', '22', '24'];

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/nodes', import.meta.url));
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Installs a version of Node, once. @returns its program; undefined if it cannot be had here */
async function installNode(version: string): Promise<string | undefined> {
  const folder = join(CACHE, version);
  const program = join(folder, 'node_modules', PACKAGE, 'bin/node');
  if (!existsSync(program)) {
    const install = ['npm', 'install', '--prefix', folder, '--no-save', '--ignore-scripts', '--force'];
    await execute([...install, `${PACKAGE}@${version}`]);
  }
  return existsSync(program) ? program : undefined;
}

const nodes = await Promise.all(
  VERSIONS.map(async (version) => [`Node ${version}`, await installNode(version)] as const),
);

for (const [name, node] of nodes) {
  test.skipIf(!node)(`${name} is here`, async () => {
    expect((await execute([node as string, '--version'])).stdout).toContain(`v${name.replace('Node ', '')}`);
  });
}

testPackedOn(nodes, true);
