import type { Entry } from '../../functions/ailog/entry.ts';
import { parseArrival } from '../../functions/tlog/arrival.ts';
import { PART_BYTES, type ReadPart } from '../entries/pageTask.ts';
import { checkRow } from './checkRow.ts';
import type { Finding } from './findings.ts';
import { partitionOf, recordHeader } from './partitions.ts';
import { records, SUSPECT_AT, type Suspect, writeRow } from './rowRecord.ts';

/** The conditions of the check of a row. */
export interface RowsOptions {
  readonly partitions: number;
  /** The time at which the log began, in milliseconds since 1970: later rows have arrival attributes. */
  readonly began: number | undefined;
  /** True: bodies are checked. */
  readonly bodies: boolean;
}

/** The records of some rows, and what is wrong with these rows. */
export interface RowsPart {
  /** The records, partition by partition. */
  readonly records: Uint8Array;
  /** The end of each partition in `records`. */
  readonly ends: readonly number[];
  /** The places in `records` of the numbers of suspects. They count from 0 in each part. */
  readonly suspectsAt: readonly number[];
  readonly rows: number;
  readonly suspects: number;
  readonly findings: readonly Finding[];
}

/** Checks rows of the table, and records their leaves by partition. */
export const readPart: ReadPart<RowsOptions, RowsPart> = (entries, from, { partitions, began, bodies }) => {
  const byPartition: Buffer[][] = Array.from({ length: partitions }, () => []);
  const isNumbered = new Set<Buffer>();
  const findings: Finding[] = [];
  let suspects = 0;
  let next = from;
  const add = (leaf: Buffer, data: Buffer): Buffer => {
    byPartition[partitionOf(leaf, partitions)]?.push(recordHeader(leaf, data.length), data);
    return data;
  };
  for (let bytes = 0; next < entries.length && bytes < PART_BYTES; next += 1) {
    const entry = entries[next] as Entry;
    const { uid, entryId } = entry;
    const row = checkRow(entry, bodies);
    bytes += row.body?.bodyBytes ?? 0;
    findings.push(...row.findings);
    const { receivedAt = Number.NaN, retention, leaf, claimed } = row;
    if (!row.hasArrival && began !== undefined && receivedAt >= began) {
      const problem = 'The arrival attributes were removed: the service stores them since the log began.';
      findings.push({ kind: 'arrival', uid, entryId, problem });
    }
    const fixed = { receivedAt, retention, suspect: suspects };
    if (!claimed) {
      add(leaf, writeRow({ ...fixed, kind: row.hasArrival ? records.own : records.bare }, [uid, entryId]));
    } else {
      const arrivedAt = parseArrival(entry.arrival)?.receivedAt ?? Number.NaN;
      const suspect: Suspect = { source: row.source, arrivedAt, ...(row.body && { body: row.body }) };
      isNumbered.add(add(leaf, writeRow({ ...fixed, kind: records.recomputed }, [uid, entryId])));
      isNumbered.add(add(claimed, writeRow({ ...fixed, kind: records.claimed }, suspect)));
      suspects += 1;
    }
  }

  const parts = byPartition.flat();
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  const [ends, suspectsAt]: [number[], number[]] = [[], []];
  let offset = 0;
  for (const group of byPartition) {
    for (const bytes of group) {
      if (isNumbered.has(bytes)) suspectsAt.push(offset + SUSPECT_AT);
      all.set(bytes, offset);
      offset += bytes.length;
    }
    ends.push(offset);
  }
  const part = { records: all, ends, suspectsAt, rows: next - from, suspects, findings };
  return { part, next, transfer: [all.buffer] };
};
