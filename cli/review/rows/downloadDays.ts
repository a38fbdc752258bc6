import { type FeatureRow, ROW_VERSION } from '../../../functions/features/featureRow.ts';
import { readRows } from '../../../functions/features/readRows.ts';
import type { RowBucket } from '../../../functions/indexer/rowBucket.ts';
import { commit, type Sync } from './fillRows.ts';
import { filesOf } from './rowStore.ts';

const DAY_MS = 86_400_000;

/** The time after the end of a day by which the indexer has compacted it, in milliseconds. */
const COMPACTED_MS = 3 * 3_600_000;

/** A day that a bucket has as one file of rows and one of texts, in the folder `part`: `received_day=2025-11-17`. */
type ClosedDay = Readonly<Record<'part' | 'entries' | 'texts', string>> & { readonly endsAt: number };

/**
 * Returns the compacted days of a bucket, oldest first, up to the first one that is not compacted.
 * @param now milliseconds since 1970
 */
async function closedDays(bucket: RowBucket, now: number): Promise<ClosedDay[]> {
  const partOf = (name: string) => name.split('/')[1] as string;
  const [entries, texts] = await Promise.all(
    ['entries/', 'texts/'].map(async (folder) => Map.groupBy(await bucket.list(folder), partOf)),
  );
  const days: ClosedDay[] = [];
  for (const [part, [name, ...others]] of [...(entries ?? [])].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const endsAt = Date.parse(part.split('=')[1] ?? '') + DAY_MS;
    const [text, ...more] = texts?.get(part) ?? [];
    if (name === undefined || text === undefined || others.length + more.length > 0 || endsAt > now - COMPACTED_MS)
      break;
    days.push({ part, endsAt, entries: name, texts: text });
  }
  return days;
}

/**
 * Downloads the rows of closed days that a deployment has made, instead of reading their entries. Continues where the
 * last one was interrupted.
 * Ends before a day whose rows another version of this project made.
 * @returns the end of the last of these days, in milliseconds since 1970; undefined if there is none
 */
export async function downloadDays(sync: Sync, bucket: RowBucket): Promise<number | undefined> {
  const { terminal, store, now } = sync;
  const days = await closedDays(bucket, now);
  const progress = terminal.progress(days.length, 'downloading rows');
  let until: number | undefined;
  for (const day of days) {
    terminal.signal.throwIfAborted();
    if (!filesOf(sync.manifest, 'entries').some(({ name }) => name.startsWith(`entries/${day.part}/`))) {
      const [entries, texts] = await Promise.all([bucket.get(day.entries), bucket.get(day.texts)]);
      const versions = await readRows<FeatureRow>(entries, { columns: ['row_version'] });
      if (versions.some(({ row_version }) => row_version !== ROW_VERSION)) break;
      const rows = versions.length;
      const files = [store.add('entries', entries, rows, day.part), store.add('texts', texts, rows, day.part)];
      commit(sync, { files: [...sync.manifest.files, ...files] });
      sync.added += rows;
    }
    until = day.endsAt;
    progress.advance(1, day.part);
  }
  progress.stop(`${sync.added} rows downloaded`);
  if (until !== undefined) commit(sync, { after: undefined, until });
  return until;
}
