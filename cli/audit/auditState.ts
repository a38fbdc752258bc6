import type { Policy } from '../../functions/c2sp/policy.ts';
import type { OpenedCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import type { EntryKey } from '../entries/entryFilter.ts';
import type { Target } from '../target/target.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { NO_TREE, type TreeState } from './auditTree.ts';
import type { RowCounts } from './collectRows.ts';
import type { Comparison } from './compareTables.ts';
import type { Finding, FindingKind } from './findings.ts';
import type { Listing } from './listing.ts';
import type { TlogTimes } from './rowChecks.ts';
import type { CheckCounts } from './sizeChecks.ts';

/** The subject and the options of an audit. */
export interface AuditRequest {
  readonly files: TlogFiles;
  /** The tables; undefined: only the files of the log. */
  readonly target: Target | undefined;
  readonly policy: Policy;
  /** Checkpoints that somebody kept, by the names of their files. */
  readonly previous: readonly { readonly file: string; readonly checkpoint: OpenedCheckpoint }[];
  /** Files with receipts and exports. */
  readonly known: readonly string[];
  /** The days for which entries are kept, if no entry of the table tells. */
  readonly retention: number | undefined;
  /** True: the bodies of the entries are checked. */
  readonly bodies: boolean;
  readonly workFolder: string;
  /** The time after which the state is kept again, in milliseconds. */
  readonly keepAfter: number;
  /** Tells this audit from others that could use the folder. */
  readonly question: string;
}

/** The log at the time at which the audit began. */
export interface Snapshot {
  /** The newest checkpoint, verbatim. */
  readonly signed: string;
  readonly times: TlogTimes | undefined;
  /** The number of leaves that were claimed and not published. */
  readonly unpublished: number;
  /** The verifier keys that should be in the log. */
  readonly keys: readonly string[];
  readonly files: number;
}

/** The state of an audit. It is enough to continue. */
export interface AuditState {
  readonly done: 'nothing' | 'beginning' | 'tree' | 'rows';
  readonly snapshot?: Snapshot;
  readonly tree: TreeState;
  readonly checks: CheckCounts;
  readonly rootHolds: boolean;
  readonly rows: RowCounts;
  /** The last row that was read. */
  readonly after?: EntryKey;
  readonly tallies: Partial<Record<FindingKind, number>>;
}

/** The state of an audit that begins. */
export const EMPTY_STATE: AuditState = {
  done: 'nothing',
  tree: NO_TREE,
  checks: { checkpoints: 0, staged: 0, unclaimed: 0 },
  rootHolds: false,
  rows: { rows: 0, suspects: 0 },
  tallies: {},
};

/** The result of an audit. */
export interface AuditResult extends AuditState {
  readonly snapshot: Snapshot;
  readonly checkpoint: OpenedCheckpoint;
  readonly listing: Listing;
  readonly comparison: Comparison;
  /** The parts that were not checked, in sentences. */
  readonly unchecked: readonly string[];
  /** Reads the findings one after the other. */
  readonly findings: () => Generator<Finding>;
}
