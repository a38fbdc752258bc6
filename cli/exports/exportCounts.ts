/** The counts of an export. */
export interface ExportCounts {
  readonly entries: number;
  /** Entries whose stored body is damaged. They are exported without it. */
  readonly damaged: number;
  /** Entries without a time of receipt. Only a write past the service can have removed it. */
  readonly untimed: number;
  /** Entries that arrived after the export began. They are not exported: which ones got in would depend on timing. */
  readonly late: number;
}

export const NOTHING_EXPORTED: ExportCounts = { entries: 0, damaged: 0, untimed: 0, late: 0 };

/** Adds the counts of a part. */
export const addCounts = (a: ExportCounts, b: ExportCounts): ExportCounts => ({
  entries: a.entries + b.entries,
  damaged: a.damaged + b.damaged,
  untimed: a.untimed + b.untimed,
  late: a.late + b.late,
});
