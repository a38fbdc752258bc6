import { IRREGULAR } from './checkRow.ts';
import type { Partitions } from './partitions.ts';
import { readRow, records } from './rowRecord.ts';

/** The leaves whose highest time of receipt is remembered together. */
export const CHUNK = 16;

/** The retentions that are told apart. The setting has few values in the life of a log. */
const RETENTIONS = 100;

interface Kept {
  rows: number;
  first: number;
  last: number;
  firstIndex: number;
  lastIndex: number;
}

/** Reads the leaves of a partition: their first indexes by leaf in latin1, and the number of further ones. */
export function readLeaves(leaves: Partitions, partition: number) {
  const indexes = new Map<string, number>();
  let duplicates = 0;
  for (const { leaf, data } of leaves.records(partition)) {
    const name = leaf.toString('latin1');
    if (indexes.has(name)) duplicates += 1;
    else indexes.set(name, data.readUIntBE(0, 6));
  }
  return { indexes, duplicates };
}

/**
 * Learns which leaves of the log the rows have, and when their entries were received.
 * @param context `size`: the number of leaves; `suspects`: the number of rows whose arrival attributes name another
 * leaf
 * @returns `isLogged`: for each of these rows, whether the log has its own leaf, and the one that it names; `latest`:
 * for each `CHUNK` of leaves, the latest time of receipt before them; `kept`: the entries that are left, by their
 * retention in days
 */
export function surveyRows({
  size,
  leaves,
  rows,
  suspects,
  advance,
}: {
  readonly size: number;
  readonly leaves: Partitions;
  readonly rows: Partitions;
  readonly suspects: number;
  readonly advance: (partitions: number) => void;
}) {
  const isLogged = { recomputed: new Uint8Array(suspects), claimed: new Uint8Array(suspects) };
  const latest = new Float64Array(Math.ceil(size / CHUNK) + 1);
  const kept = new Map<number, Kept>();

  for (let partition = 0; partition < leaves.count; partition += 1) {
    const { indexes } = readLeaves(leaves, partition);
    for (const { leaf, data } of rows.records(partition)) {
      const index = indexes.get(leaf.toString('latin1'));
      if (index === undefined) continue;
      const row = readRow(data);
      if (row.kind === records.recomputed) isLogged.recomputed[row.suspect] = 1;
      else if (row.kind === records.claimed) isLogged.claimed[row.suspect] = 1;
      if (row.kind === records.claimed) continue;
      const chunk = Math.floor(index / CHUNK) + 1;
      latest[chunk] = Math.max(latest[chunk] as number, row.receivedAt);
      if (row.retention === IRREGULAR) continue;
      const { receivedAt: at } = row;
      const one = kept.get(row.retention) ?? { rows: 0, first: at, last: at, firstIndex: index, lastIndex: index };
      one.rows += 1;
      one.first = Math.min(one.first, at);
      one.last = Math.max(one.last, at);
      one.firstIndex = Math.min(one.firstIndex, index);
      one.lastIndex = Math.max(one.lastIndex, index);
      if (kept.size < RETENTIONS || kept.has(row.retention)) kept.set(row.retention, one);
    }
    advance(1);
  }
  for (let chunk = 1; chunk < latest.length; chunk += 1) {
    latest[chunk] = Math.max(latest[chunk] as number, latest[chunk - 1] as number);
  }
  return { isLogged, latest, kept };
}
