import type { Entry } from '../../functions/ailog/entry.ts';
import { dayFiles, type IndexedRow } from '../../functions/indexer/rowFolders.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import { rowOrProblem } from './rowOrProblem.ts';
import type { Problem, RowStore, StoredFile } from './rowStore.ts';

/** The rows and the characters of text after which a part is full. They take about 150 MB. */
const PART_ROWS = 20_000;
const PART_CHARACTERS = 24 * 1024 * 1024;

/** Collects the feature rows of entries, to be stored in parts. @param partRows the rows of a full part */
export function collectRows(store: RowStore, partRows = PART_ROWS) {
  let made: IndexedRow[] = [];
  let characters = 0;
  let problems: Problem[] = [];
  return {
    add(entry: Entry): void {
      const { indexed, problem } = rowOrProblem(entry);
      if (indexed) made.push(indexed);
      if (problem) problems.push(problem);
      characters += indexed?.search.length ?? 0;
    },

    isFull: (): boolean => made.length >= partRows || characters >= PART_CHARACTERS,

    /** Stores what was collected: for each day, a file of rows and one of texts. @returns the keys of the rows too */
    take(): { keys: EntryKey[]; files: StoredFile[]; problems: Problem[] } {
      const files = [...dayFiles(made)].flatMap(({ folder, rows, entries, texts }) => [
        store.add('entries', entries, rows, folder),
        store.add('texts', texts, rows, folder),
      ]);
      const keys = made.map(({ row: { uid, entry_id } }) => ({ uid, entryId: entry_id }));
      const taken = { keys, files, problems };
      [made, characters, problems] = [[], 0, []];
      return taken;
    },
  };
}
