import type { TlogFiles } from '../target/tlogFiles.ts';
import { Failure } from '../terminal/failure.ts';

export async function requireFile(files: TlogFiles, path: string): Promise<Uint8Array> {
  const bytes = await files.read(path);
  if (bytes) return bytes;
  throw new Failure('negative', `The transparency log has no ${path} in ${files.location}.`, {
    advice: 'A file of the log is missing. docs/runbook says what to do.',
  });
}
