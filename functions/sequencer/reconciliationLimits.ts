/** The limits of a daily reconciliation. They bound its time and its memory, whatever the size of the table. */
export interface ReconciliationLimits {
  /**
   * The milliseconds after which a run leaves the rest to the next run. A run reports the age of the log at its end, so
   * this is shorter than the period of the alarm on a log that reports nothing.
   */
  readonly milliseconds: number;
  /** The pages of each segment that one step reads at most, of 1 MB each. */
  readonly pages: number;
  /** The number of missing entries at which a step of the scan ends, and that a later step appends. */
  readonly entries: number;
}

/** The limits of a deployment. A step takes a few seconds. */
export const RECONCILIATION: ReconciliationLimits = { milliseconds: 120_000, pages: 32, entries: 262_144 };
