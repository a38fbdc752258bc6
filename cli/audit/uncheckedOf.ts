import type { AuditRequest, AuditState } from './auditState.ts';
import type { Comparison } from './compareTables.ts';
import type { Listing } from './listing.ts';

/** Returns what an audit did not check, in sentences. */
export function uncheckedOf(
  request: AuditRequest,
  { snapshot, tree, rows, rootHolds }: AuditState,
  listing: Listing,
  { olderGone }: Comparison,
): string[] {
  const { target, bodies } = request;
  const sentences: string[] = [];
  if (tree.lost > 0)
    sentences.push(`${tree.lost} entries of the log, because their files are missing or were changed.`);
  if (!rootHolds) sentences.push('Whether the entries are those that were signed: they do not lead to the root.');
  if (snapshot && snapshot.unpublished > 0)
    sentences.push(
      `${snapshot.unpublished} entries that the head claims and no checkpoint has yet. Run the audit again.`,
    );
  const { count, example } = listing.beyond;
  if (!target && count > 0)
    sentences.push(`${count} files of a larger tree than that of the checkpoint, such as ${example}.`);
  if (target && !snapshot?.times)
    sentences.push('The entries of the table against the log, because the head in the Tlog table cannot be read.');
  if (olderGone > 0)
    sentences.push(
      `${olderGone} log entries that the table does not have any more, and that may be older than the log: they have expired, or somebody removed them.`,
    );
  if (target && !bodies && rows.rows > 0)
    sentences.push('Bodies, and the copies of order id, stage and model (--no-bodies).');
  return sentences;
}
