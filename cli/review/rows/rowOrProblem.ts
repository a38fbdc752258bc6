import type { Entry } from '../../../functions/ailog/entry.ts';
import { featureRow, PoisonedEntry } from '../../../functions/features/featureRow.ts';
import type { IndexedRow } from '../../../functions/indexer/rowFolders.ts';
import { entryHashOfRow } from '../../proof/inclusion/place.ts';
import type { Problem } from './rowStore.ts';

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
