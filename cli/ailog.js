#!/usr/bin/env node
// The program that package.json installs as `ailog`. It is JavaScript so that Node can take all of the TypeScript
// behind it from its compile cache: stripping the types again at every start would take longer than most commands.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NODE = 24;
if (Number.parseInt(process.versions.node, 10) < NODE) {
  console.error(
    `ailog needs Node ${NODE}, but runs on ${process.version}. Run npx ailog, which uses the Node of npm ci.`,
  );
  process.exit(2);
}

// Not in the folder for temporary files, where other users of the machine could write.
const cache = fileURLToPath(new URL('../node_modules/.cache/ailog', import.meta.url));
module.enableCompileCache(cache);
// Processes that a command starts use it too.
process.env.NODE_COMPILE_CACHE = cache;
const { program } = await import('./main.ts');
const { runProcess } = await import('./shell/terminal/program.ts');
await runProcess(program);
