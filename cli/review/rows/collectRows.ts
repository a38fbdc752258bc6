import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { featureRow, PoisonedEntry } from '../../../functions/features/featureRow.ts';
import { dayFiles, type IndexedRow } from '../../../functions/indexer/rowFolders.ts';
import { entryHashOfRow } from '../../proof/inclusion/place.ts';
import type { EntryKey } from '../../store/entries/entryFilter.ts';
import type { Problem, RowStore, StoredFile } from './rowStore.ts';

/** Makes the row of an entry. @returns what is wrong with the entry too; without a row if there can be none */
export function rowOrProblem(entry: Entry): { indexed?: IndexedRow; problem?: Problem } {
  const { uid, entryId } = entry;
  try {
    const indexed = featureRow(entry);
    const { changed } = indexed;
    const problem = `it does not have what its body says: ${changed.join(', ')}`;
    return { indexed, ...(changed.length > 0 && { problem: { uid, entryId, problem, hasRow: true } }) };
  } catch (error) {
    if (!(error instanceof PoisonedEntry)) throw error;
    const leaf = entryHashOfRow(entry)?.toString('hex');
    return { problem: { uid, entryId, problem: error.problem, leaf } };
  }
}

/** The rows and the characters of text after which a part is full. They take about 150 MB. */
const PART_ROWS = 20_000;
const PART_CHARACTERS = 24 * 1024 * 1024;

/** The number of entries from which on a thread of its own is worth its start. */
const THREAD_ENTRIES = 20_000;

/** Collects the feature rows of entries, to be stored in parts. @param partRows the rows of a full part */
export function collectRows(partRows = PART_ROWS) {
  let made: IndexedRow[] = [];
  let characters = 0;
  let problems: Problem[] = [];
  return {
    /** @returns true if the part is full */
    add(entries: readonly Entry[]): boolean {
      for (const { indexed, problem } of entries.map(rowOrProblem)) {
        if (indexed) made.push(indexed);
        if (problem) problems.push(problem);
        characters += indexed?.search.length ?? 0;
      }
      return made.length >= partRows || characters >= PART_CHARACTERS;
    },

    /** Returns what was collected: for each day, a file of rows and one of texts. */
    take() {
      const keys = made.map(({ row: { uid, entry_id } }): EntryKey => ({ uid, entryId: entry_id }));
      const taken = { keys, days: [...dayFiles(made)], problems };
      made = [];
      characters = 0;
      problems = [];
      return taken;
    },
  };
}

type Part = ReturnType<ReturnType<typeof collectRows>['take']>;

export const storeDays = (store: RowStore, days: Part['days']): StoredFile[] =>
  days.flatMap(({ folder, rows, entries, texts }) => [
    store.add('entries', entries, rows, folder),
    store.add('texts', texts, rows, folder),
  ]);

/** Collects rows like `collectRows`, those of many entries in a thread beside the one that reads them. */
export function openCollector(partRows: number | undefined, expected: number) {
  if (expected < THREAD_ENTRIES) return { ...collectRows(partRows), close: () => {} };
  const thread = new Worker(new URL('./rowThread.ts', import.meta.url), { workerData: partRows });
  const ask = (entries?: readonly Entry[]) => {
    thread.postMessage(entries);
    const answer = once(thread, 'message').then(([value]) => value);
    // An error is thrown where the answer is awaited, if it ever is.
    answer.catch(() => {});
    return answer;
  };
  return {
    add: (entries: readonly Entry[]): Promise<boolean> => ask(entries),
    take: (): Promise<Part> => ask(),
    close: () => void thread.terminate(),
  };
}
