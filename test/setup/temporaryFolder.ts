import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates an empty folder. The run removes it at its end, with everything else in its temporary folder: see engine.ts.
 */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'ailog-'));
