import type { Line } from '../evidence/journal.ts';
import type { Access } from './access.ts';
import { isFresh } from './deliver.ts';
import type { TlogFile } from './sendOnRecord.ts';
import { type SignedRequest, signRequest } from './signedRequest.ts';

/** The plan for a log: skip it, leave it with a reason, or send it. */
export type Plan =
  | { readonly do: 'skip'; readonly entryId: string; readonly receipt: string | undefined }
  | { readonly do: 'leave'; readonly status: 'changed' | 'unknown'; readonly entryId: string; readonly says: string }
  | { readonly do: 'send'; readonly resume?: SignedRequest };

/**
 * Decides from the last line of the result file what to do with a log.
 * @param again re-uploads a log that an earlier run may have stored
 */
export function planUpload(
  last: Line | undefined,
  { body, digest, order }: TlogFile,
  { access, again }: { access: Access; again: boolean },
): Plan {
  if (!last || last.state === 'not stored') return { do: 'send' };
  const { entryId } = last;
  if (last.state === 'stored') {
    const changed = { do: 'leave', status: 'changed', entryId } as const;
    if (last.digest !== digest) {
      return { ...changed, says: 'the file changed after it was stored; a new log needs a new name' };
    }
    if (order !== undefined && order !== last.order) {
      const before = last.order === undefined ? 'without --order' : `with --order ${last.order}`;
      return { ...changed, says: `it was stored ${before}; a log of another order needs a new name` };
    }
    return { do: 'skip', entryId, receipt: last.receipt };
  }
  // The same timestamp creates the same request, unless the log or the credentials have changed.
  const request = signRequest(access, body, Number(entryId.slice(0, 13)));
  if (request.entryId === entryId && isFresh(request)) return { do: 'send', resume: request };
  if (again) return { do: 'send' };
  const says = 'an earlier run may have stored it; --again re-uploads it';
  return { do: 'leave', status: 'unknown', entryId, says };
}
