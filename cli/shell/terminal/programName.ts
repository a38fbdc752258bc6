/** The program as people type it. In the packed command line, pack.ts puts `node ailog.mjs` in its place. */
export const PROGRAM = 'ailog';
