import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { bodyOf } from '../../../functions/ailog/bodyOf.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { featureRow, PoisonedEntry } from '../../../functions/features/featureRow.ts';
import { dayFiles, type IndexedRow } from '../../../functions/indexer/rowFolders.ts';
import { entryHashOfRow } from '../../proof/log/rowPlace.ts';
import type { EntryKey } from '../../store/entries/entryFilter.ts';
import type { Problem, RowStore, StoredFile } from './rowStore.ts';

/**
 * Makes the row of an entry. @returns what is wrong with the entry too; without a row if there can be none
 * @param decompress see `featureRow`
 */
export function rowOrProblem(entry: Entry, decompress?: typeof bodyOf): { indexed?: IndexedRow; problem?: Problem } {
  const { uid, entryId } = entry;
  try {
    const indexed = featureRow(entry, decompress);
    const { changed } = indexed;
    if (changed.length === 0) return { indexed };
    const problem = `it does not have what its body says: ${changed.join(', ')}`;
    return { indexed, problem: { uid, entryId, problem, hasRow: true } };
  } catch (error) {
    if (!(error instanceof PoisonedEntry)) throw error;
    const leaf = entryHashOfRow(entry)?.toString('hex');
    return { problem: { uid, entryId, problem: error.problem, leaf } };
  }
}

/** The rows and the characters of text after which a part is full. They take about 80 MB. */
const PART_ROWS = 10_000;
const PART_CHARACTERS = 12 * 1024 * 1024;

/** The number of entries from which on a thread of its own is worth its start. */
const THREAD_ENTRIES = 20_000;

/**
 * Collects the feature rows of entries, to be stored in parts.
 * @param partRows the rows of a full part
 * @param decompress see `featureRow`
 */
export function collectRows(partRows = PART_ROWS, decompress?: typeof bodyOf) {
  let made: IndexedRow[] = [];
  let characters = 0;
  let problems: Problem[] = [];
  return {
    /** @returns true if the part is full */
    add(entries: readonly Entry[]): boolean {
      for (const entry of entries) {
        const { indexed, problem } = rowOrProblem(entry, decompress);
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

/** The most threads that make rows. More are faster than one thread reads. */
const MOST_THREADS = 3;

/** The memory of a thread for new objects. With more, which is the default, it makes rows no faster. */
const YOUNG_MIB = 24;

/**
 * Collects rows like `collectRows`, those of many entries in threads beside the one that reads them.
 * @returns `atOnce`: the pages that may be added before the first of them is awaited; await all before `take`
 */
export function openCollector(
  partRows = PART_ROWS,
  expected: number,
  atOnce = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1)),
) {
  if (expected < THREAD_ENTRIES) return { ...collectRows(partRows), atOnce: 1, close: () => {} };
  const options = {
    workerData: Math.ceil(partRows / atOnce),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  };
  const threads = Array.from({ length: atOnce }, () => new Worker(new URL('./rowThread.ts', import.meta.url), options));
  const ask = (thread: Worker, entries?: readonly Entry[]) => {
    thread.postMessage(entries);
    const answer = once(thread, 'message').then(([value]) => value);
    // An error is thrown where the answer is awaited, if it ever is.
    answer.catch(() => {});
    return answer;
  };
  let turn = 0;
  return {
    atOnce,
    add(entries: readonly Entry[]): Promise<boolean> {
      turn = (turn + 1) % atOnce;
      return ask(threads[turn] as Worker, entries);
    },
    async take(): Promise<Part> {
      const parts: Part[] = await Promise.all(threads.map((thread) => ask(thread)));
      const all = <Name extends keyof Part>(name: Name) => parts.flatMap((part) => part[name] as Part[Name][number][]);
      return { keys: all('keys'), days: all('days'), problems: all('problems') };
    },
    close: () => threads.forEach((thread) => void thread.terminate()),
  };
}
