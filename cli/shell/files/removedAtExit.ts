import { rmSync } from 'node:fs';

/** Files that are of no use without this process. An interruption ends it before the work that would remove them. */
const ownFiles = new Set<string>();
const removeOwn = () => {
  for (const path of ownFiles) rmSync(path, { force: true });
};

/** Has a file removed when this process ends, at the latest. @returns a function that removes it now */
export function removedAtExit(path: string): () => void {
  if (ownFiles.size === 0) process.once('exit', removeOwn);
  ownFiles.add(path);
  return () => {
    rmSync(path, { force: true });
    ownFiles.delete(path);
    if (ownFiles.size === 0) process.off('exit', removeOwn);
  };
}
