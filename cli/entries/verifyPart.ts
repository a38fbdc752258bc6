import type { Entry } from '../../functions/ailog/entry.ts';
import { HASHED_ATTRIBUTES } from '../../functions/tlog/entryHash.ts';
import { readBody } from './bodyOf.ts';
import { type Columns, columnsOf, rowsOf } from './columns.ts';
import { PART_BYTES, type ReadPart } from './pageTask.ts';
import { type ContentFindings, verifyContent } from './verifyContent.ts';

/** The attributes of an entry that verify its signature and time, and that locate it in the transparency log. */
const ATTRIBUTES = [...HASHED_ATTRIBUTES, 'arrival'] as const satisfies readonly (keyof Entry)[];

/** Some entries and what their bodies show, see `entriesOf`. */
export interface VerifyPart {
  readonly attributes: Columns<ReadEntry['entry']>;
  /** The findings about each body; undefined if the stored body is damaged. */
  readonly contents: readonly (ContentFindings | undefined)[];
  /** The bodies as they were signed, one after the other, and where each ends. */
  readonly bodies: Uint8Array;
  readonly ends: readonly number[];
}

/** An entry of a part. */
export interface ReadEntry {
  readonly entry: Pick<Entry, (typeof ATTRIBUTES)[number]>;
  /** Absent if the stored body is damaged. */
  readonly read?: { readonly body: Buffer; readonly content: ContentFindings };
}

/** Decompresses bodies, and verifies digest and fields. Signatures are left to the thread that has the credentials. */
export const readPart: ReadPart<undefined, VerifyPart> = (entries, from) => {
  const found: Buffer[] = [];
  const ends: number[] = [];
  const contents: (ContentFindings | undefined)[] = [];
  let next = from;
  for (let end = 0; next < entries.length && end < PART_BYTES; next += 1) {
    const entry = entries[next] as Entry;
    const body = readBody(entry);
    contents.push(body && verifyContent(entry, body));
    if (body) found.push(body);
    end += body?.length ?? 0;
    ends.push(end);
  }
  const bodies = new Uint8Array(ends.at(-1) ?? 0);
  for (let index = 0, start = 0; index < found.length; index += 1) {
    bodies.set(found[index] as Buffer, start);
    start += (found[index] as Buffer).length;
  }
  const attributes = columnsOf<ReadEntry['entry']>(entries.slice(from, next), ATTRIBUTES);
  return { part: { attributes, contents, bodies, ends }, next, transfer: [bodies.buffer] };
};

/** Yields the entries of a part. */
export function* entriesOf({ attributes, contents, bodies, ends }: VerifyPart): Generator<ReadEntry> {
  let start = 0;
  let index = 0;
  for (const entry of rowsOf(attributes)) {
    const [content, end] = [contents[index], ends[index] as number];
    index += 1;
    const body = Buffer.from(bodies.buffer, bodies.byteOffset + start, end - start);
    start = end;
    yield { entry, ...(content && { read: { body, content } }) };
  }
}
