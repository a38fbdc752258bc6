import { workerData } from 'node:worker_threads';
import type { ReadPart } from '../../../cli/entries/pageTask.ts';

/** The ids of some entries, and the thread that read them. */
export interface IdsPart {
  readonly ids: readonly string[];
  readonly byWorker: boolean;
}

/** A task of the tests: reads ids in parts of two entries. `failAt` makes it throw at an entry. */
export const readPart: ReadPart<{ failAt?: string }, IdsPart> = (entries, from, { failAt }) => {
  const some = entries.slice(from, from + 2);
  const ids = some.map(({ uid, entryId }) => `${uid} ${entryId}`);
  if (failAt !== undefined && ids.includes(failAt)) throw new Error(`Failed at ${failAt}`);
  // The mutation tests run in a thread themselves, so that `isMainThread` would tell nothing.
  const byWorker = workerData?.task !== undefined;
  return { part: { ids, byWorker }, next: from + some.length };
};
