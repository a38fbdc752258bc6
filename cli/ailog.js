#!/usr/bin/env node
// The program that package.json installs as `ailog`. It is JavaScript so that Node can take all of the TypeScript behind it
// from its compile cache: stripping the types again at every start would take longer than most commands.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Not in the folder for temporary files, where other users of the machine could write.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ailog', import.meta.url)));
const { commands } = await import('./main.ts');
const { runProcess } = await import('./terminal/program.ts');
await runProcess(commands);
