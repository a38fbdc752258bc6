import type { Entry } from '../../functions/ailog/entry.ts';
import { bodyOf } from '../data/bodyOf.ts';
import { PART_BYTES, type ReadPart } from '../data/pageTask.ts';
import { type ContentFindings, verifyContent } from '../data/verifyContent.ts';

/** An entry without its stored body, and what the body shows. */
export interface ReadEntry {
  readonly entry: Omit<Entry, 'body'>;
  /** The body as it was signed, and the findings about it. Absent if the stored body is damaged. */
  readonly read?: { readonly body: Uint8Array; readonly content: ContentFindings };
}

/** Reads the body of an entry. */
function readEntry(entry: Entry): ReadEntry {
  const { body: _body, ...rest } = entry;
  let body: Buffer;
  try {
    body = bodyOf(entry);
  } catch {
    return { entry: rest };
  }
  // A copy of its own size: with a view, the whole buffer behind it would pass to the other thread.
  return { entry: rest, read: { body: Uint8Array.from(body), content: verifyContent(entry, body) } };
}

/** Decompresses bodies, and verifies digest and fields. Signatures are left to the thread that has the credentials. */
export const readPart: ReadPart<undefined, readonly ReadEntry[]> = (entries, from) => {
  const part: ReadEntry[] = [];
  let next = from;
  for (let bytes = 0; next < entries.length && bytes < PART_BYTES; next += 1) {
    const one = readEntry(entries[next] as Entry);
    bytes += one.read?.body.length ?? 0;
    part.push(one);
  }
  return { part, next };
};
