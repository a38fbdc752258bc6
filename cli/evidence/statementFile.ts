import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { requireNoFile, writeFully } from '../files/write.ts';
import { bigintAsText } from '../text/json.ts';
import type { StatementEnd, StatementEntry, StatementHeader } from './statement.ts';

/**
 * Opens a new statement, which is written line by line. Until it is complete, its name is `FILE.part`.
 * @throws Failure if the file or its part exists
 */
export function openStatementFile(path: string) {
  const part = `${path}.part`;
  requireNoFile([path, part]);
  const file = openSync(part, 'wx', 0o600);
  const hash = createHash('sha256');
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  const write = (line: object) => {
    const bytes = Buffer.from(`${JSON.stringify(line, bigintAsText)}\n`);
    writeFully(file, bytes);
    hash.update(bytes);
  };

  return {
    write: (line: StatementHeader | StatementEntry): void => write(line),
    /** Writes the last line, and gives the file its name. @throws if a file of that name exists now */
    finish(entries: number): void {
      write({ end: true, entries, sha256: hash.copy().digest('hex') } satisfies StatementEnd);
      fsyncSync(file);
      close();
      // Unlike a rename, a link never replaces what is there.
      linkSync(part, path);
    },
    /** Closes the file and removes its part. */
    discard(): void {
      close();
      rmSync(part, { force: true });
    },
  };
}
