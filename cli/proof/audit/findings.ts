/** The kinds of findings, with the heading of each. */
export const findingKinds = {
  checkpoint: 'Checkpoints that are wrong or missing',
  previous: 'Kept checkpoints that the log contradicts',
  root: 'Entries and checkpoints that contradict each other',
  bundle: 'Entry bundles that were changed',
  tile: 'Tiles that were changed',
  file: 'Files that do not belong to the log',
  key: 'Keys and retentions that are missing from the log',
  head: 'Contradictions in the Tlog table',
  edited: 'Edited entries',
  id: 'Entry ids that do not follow from their requests',
  body: 'Replaced bodies',
  copies: 'Copies that differ from the body',
  arrival: 'Arrival attributes that were changed or removed',
  expiry: 'Expiry times that the service did not set',
  unlogged: 'Entries that are not in the log',
  late: 'Entries that were logged late (backdated, or the index showed them late)',
  early: 'Entries that were logged before they say they were received',
  removed: 'Entries of the log that the table does not have',
  promised: 'Receipts for entries that are not in the log',
  overdue: 'LATE: entries that were logged after the deadline of their receipts, in order',
  delayed: 'No contradiction: entries that were logged more than 2 minutes after their receipt, in order',
  expired: 'No contradiction: entries that --known names and that have expired',
} as const;

/** The kinds that are named and contradict nothing. */
const HARMLESS: readonly string[] = ['delayed', 'expired'] satisfies FindingKind[];

export type FindingKind = keyof typeof findingKinds;

/** An attribute of an entry: the value that was logged, if it is known, and the value in the table. */
export type ChangedAttribute = Readonly<{ name: string; logged?: unknown; stored?: unknown }>;

export interface Finding {
  readonly kind: FindingKind;
  readonly problem: string;
  readonly path?: string | null | undefined;
  readonly uid?: string | null | undefined;
  readonly entryId?: string | null | undefined;
  /** The index of the entry in the log, from 0. */
  readonly index?: number | null | undefined;
  readonly attributes?: readonly ChangedAttribute[] | undefined;
}

export type Report = (finding: Finding) => void;

/** The findings of each kind that are kept to be listed. The others are counted. */
const LISTED = 100_000;

export class Findings {
  readonly counts: Partial<Record<FindingKind, number>> = {};
  readonly #listed = new Map<FindingKind, Finding[]>();

  readonly report: Report = ({ kind, problem, attributes = [], ...rest }) => {
    const known = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    const finding = { kind, ...Object.fromEntries(known), problem, ...(attributes.length > 0 && { attributes }) };
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    const listed = this.#listed.get(kind) ?? [];
    this.#listed.set(kind, listed);
    if (listed.length < LISTED) listed.push(finding);
  };

  /** The findings of a kind that are listed, in the order in which they were found. */
  of(kind: FindingKind): readonly Finding[] {
    return this.#listed.get(kind) ?? [];
  }

  /** The entries that came into the log in order, and after the deadline of their receipts. */
  get overdue(): number {
    return this.counts.overdue ?? 0;
  }

  get contradictions(): number {
    const counts = Object.entries(this.counts).filter(([kind]) => kind !== 'overdue' && !HARMLESS.includes(kind));
    return counts.reduce((sum, [, count]) => sum + count, 0);
  }
}
