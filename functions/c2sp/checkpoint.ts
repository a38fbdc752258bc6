import { decodeHash } from './base64.ts';
import { parseSize } from './treeSize.ts';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** Returns the text of a checkpoint, to be signed as a note. Source: C2SP tlog-checkpoint, "Note text". */
export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;

/** Reads the text of a checkpoint. Ignores extension lines. @throws Error if it is not a checkpoint */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const [origin = '', size = '', root = ''] = lines;
  if (lines.length < 4 || lines.pop() !== '' || lines.some((line) => line === '')) {
    throw new Error('A checkpoint is three or more lines without an empty one: origin, tree size, root hash.');
  }
  return { origin, size: parseSize(size), root: decodeHash(root, 'The root hash of the checkpoint') };
}
