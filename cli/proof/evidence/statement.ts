import type { Entry } from '../../../functions/ailog/entry.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { entryTextOf, readBodyText } from '../../store/entries/describeEntry.ts';
import type { OwnLog } from '../log/ownLog.ts';
import { placeOf, rowKeysOf, type Status } from '../log/rowPlace.ts';
import { readEntry } from './judge.ts';

const encode = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => Buffer.from(hash).toString('base64'));

/** The entries of a statement by their places in the log, and those that it cannot describe. */
export type StatementCounts = Record<Status | 'damaged', number>;

/** Returns where an entry is in a log with its proof, or why it is not there. @throws Failure if the log is wrong */
export async function proveEntry(log: OwnLog, entry: Entry) {
  const keys = rowKeysOf(entry);
  const place = await placeOf(log, keys);
  if (place.status !== 'logged' || !keys.entryHash) return { status: place.status };
  return { status: place.status, index: place.index, proof: await log.prove(keys.entryHash, place.index) };
}

/** Yields the lines of a statement: docs/formats.md. @param entries by their ids @param counts is added to */
export async function* statementLines(
  log: OwnLog,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  counts: StatementCounts,
) {
  const line = (members: object): string => `${JSON.stringify(members)}\n`;
  yield line({ checkpoint: log.checkpoint.signed });
  let lines = 0;
  for await (const entry of entries) {
    const body = readBodyText(entry);
    const text = entryTextOf(entry);
    // An entry that the service never stores cannot be a line.
    const isLine = text !== undefined && orUndefined(() => readEntry(text)) !== undefined;
    if (body === undefined || !isLine) counts.damaged += 1;
    if (!isLine) continue;
    const { status, index, proof } = await proveEntry(log, entry);
    counts[status] += 1;
    lines += 1;
    yield line({ entry: text, index, proof: proof && encode(proof), body });
  }
  yield line({ end: lines });
}

/** Returns a proof for programs of other people. Source: C2SP tlog-proof, "Format". */
export const formatTlogProof = (index: number, proof: readonly Uint8Array[], checkpoint: string): string =>
  `${['c2sp.org/tlog-proof@v1', `index ${index}`, ...encode(proof)].join('\n')}\n\n${checkpoint}`;
