/** The findings of an audit. docs/threats.md says who can make it so. */
export const KINDS = {
  tree: 'A file or a root of the log differs',
  kept: 'The log contradicts a checkpoint that was kept',
  edited: 'The entry was changed since it was logged',
  removed: 'The table does not have an entry of the log',
  unlogged: 'The log does not have a row of the table',
  late: 'The entry came into the log after its deadline',
  promised: 'A receipt promised the entry, and the log does not have it',
  damaged: 'The row is not as the service stores it',
} as const;

export type Kind = keyof typeof KINDS;

/** A problem, in a sentence, of a file (`path`), or of an entry and its place in the log. */
export type Finding = Readonly<{ kind: Kind; problem: string; index?: number | undefined }> &
  Readonly<Partial<Record<'path' | 'uid' | 'entryId', string | undefined>>>;

export type Report = (finding: Finding) => void;

/** The findings that are kept to be listed. The others are counted. */
const LISTED = 100_000;

export function collectFindings() {
  const counts: Partial<Record<Kind, number>> = {};
  const listed: Finding[] = [];
  const report: Report = (finding) => {
    counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
    if (listed.length < LISTED) listed.push(finding);
  };
  return { counts, listed, report };
}

/** Such findings contradict nothing: the log says itself that a promise was not kept. */
export const isBroken = (kind: Kind): boolean => kind === 'late' || kind === 'promised';

/** The order of findings: those of the log itself, then entry by entry. */
export function byEntry(one: Finding, other: Finding): number {
  const [first, second] = [one, other].map(({ uid = '', entryId = '' }) => `${uid.padStart(20)} ${entryId}`);
  if (first === second) return (one.index ?? 0) - (other.index ?? 0);
  return String(first) < String(second) ? -1 : 1;
}
