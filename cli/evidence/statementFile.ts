import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { requireNoFile } from '../terminal/writeNew.ts';
import type { StatementEnd, StatementEntry, StatementHeader } from './statement.ts';

/** Only a write past the service can have put a number there that needs a bigint. */
const bigintAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

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
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
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
