import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Terminal } from '../terminal/terminal.ts';

/** A log, not yet parsed. */
export interface Log {
  /** The name for messages. */
  readonly name: string;
  /** The bytes of the file, unchanged. */
  readonly body: Buffer;
}

/** Reads a log from a file, or from the standard input if the name is `-`. */
export async function readLog({ cwd, stdin }: Terminal, file: string): Promise<Log> {
  if (file !== '-') return { name: basename(file), body: readFileSync(resolve(cwd(), file)) };
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return { name: 'the standard input', body: Buffer.concat(chunks) };
}
