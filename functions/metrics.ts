export const METRICS_NAMESPACE = 'AiLogUpload';

interface MetricShape {
  readonly emittedBy: 'upload' | 'sequencer' | 'both' | 'indexer';
  readonly unit: 'Count' | 'Milliseconds' | 'Bytes';
  /** The fields of the log line that are its dimensions. `service` is the name of the stack. */
  readonly dimensions: readonly ('service' | 'code')[];
}

/** The metrics of the functions, named once for logs, alarms and dashboard. Each set of dimensions is billed. */
export const metrics = {
  /** Successes, resends included. The sequencer adds 0, so that an alarm on too few has something to compare. */
  Accepted: { emittedBy: 'both', unit: 'Count', dimensions: ['service'] },
  Rejected: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  RejectedByCode: { emittedBy: 'upload', unit: 'Count', dimensions: ['service', 'code'] },
  /** Uploads that failed for an unforeseen reason, with a 500. */
  SystemError: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  /** Resends that failed with a 500 because somebody has changed the stored entry. They are no `SystemError`. */
  EntryEdited: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  /** Uploads that failed because a dependency did, with a 503. Both failures have the code 40015. */
  Unavailable: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  /** Uploads that were rejected because their team writes more than one partition takes. */
  PartitionThrottled: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  Duplicate: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  /** Accepted uploads whose answer has the header AI-LOG-WARNING: the team probably made a mistake. */
  Warned: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  ReceiptMissing: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  ColdStart: { emittedBy: 'upload', unit: 'Count', dimensions: ['service'] },
  Latency: { emittedBy: 'upload', unit: 'Milliseconds', dimensions: ['service'] },

  TlogAppended: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },
  /** Entries that were missing from the transparency log two days after their upload, and were added then. */
  Stragglers: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },
  /** Runs after which too few witnesses have cosigned the newest checkpoint. */
  WitnessQuorumMissed: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },
  /** The time since the moment up to which the transparency log has all entries. */
  TlogLag: { emittedBy: 'sequencer', unit: 'Milliseconds', dimensions: ['service'] },
  TlogSize: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },
  /** Runs that stopped because the state of the transparency log is contradictory. */
  TlogFatal: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },
  /** Runs that failed for a reason that may pass. */
  TlogFailed: { emittedBy: 'sequencer', unit: 'Count', dimensions: ['service'] },

  RowsIndexed: { emittedBy: 'indexer', unit: 'Count', dimensions: ['service'] },
  /** Stored entries that have no feature row, because they cannot be what the service stored. */
  EntriesPoisoned: { emittedBy: 'indexer', unit: 'Count', dimensions: ['service'] },
} as const satisfies Record<string, MetricShape>;

export type MetricName = keyof typeof metrics;

export type MetricsOf<Emitter extends MetricShape['emittedBy']> = {
  [Name in MetricName]: (typeof metrics)[Name]['emittedBy'] extends Emitter | 'both' ? Name : never;
}[MetricName];
