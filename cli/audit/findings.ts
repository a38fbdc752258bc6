/** The kinds of findings, with the heading of each. */
export const findingKinds = {
  checkpoint: 'Checkpoints that are wrong or missing',
  previous: 'Kept checkpoints that the log contradicts',
  root: 'Entries and checkpoints that contradict each other',
  bundle: 'Entry bundles that were changed',
  tile: 'Tiles that were changed',
  file: 'Files that do not belong to the log',
  staging: 'Staged batches that are not in the log',
  key: 'Keys that are missing from the log',
  head: 'Contradictions in the Tlog table',
  edited: 'Edited entries',
  moved: 'Entries that were moved to another UID',
  id: 'Entry ids that do not follow from their requests',
  body: 'Replaced bodies',
  copies: 'Copies that differ from the body',
  arrival: 'Arrival attributes that were changed or removed',
  expiry: 'Expiry times that the service did not set',
  unlogged: 'Entries that are not in the log',
  late: 'Entries that came into the log late (backdated, or stragglers)',
  early: 'Entries that were logged before they say they were received',
  removed: 'Entries of the log that the table does not have',
  promised: 'Receipts for entries that are not in the log',
} as const;

/** The kind of a finding. */
export type FindingKind = keyof typeof findingKinds;

/** An attribute of an entry: the value that the log proves, if it is known, and the value in the table. */
export interface ChangedAttribute {
  readonly name: string;
  readonly logged?: unknown;
  readonly stored?: unknown;
}

/** One contradiction that the audit found. */
export interface Finding {
  readonly kind: FindingKind;
  /** One sentence. */
  readonly problem: string;
  /** The file of the log that is wrong. */
  readonly path?: string;
  /** The entry that is wrong. */
  readonly uid?: string;
  readonly entryId?: string;
  /** The index of the entry in the log, from 0. */
  readonly index?: number;
  readonly attributes?: readonly ChangedAttribute[];
}
