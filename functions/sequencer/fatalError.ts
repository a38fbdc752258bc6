/** The conditions that stop the log until a person has investigated: docs/runbook/tlog.md. */
export const FATAL_CONDITIONS = [
  /** A file has other bytes than the sequencer writes. */
  'file-differs',
  /** A root does not follow from the files of the log. */
  'root-differs',
  /** None of the configured checkpoint keys has signed for the log. */
  'key-unknown',
  /** The clock differs from that of the storage, or is behind the newest commit. */
  'clock-differs',
  /** The bucket or its checkpoint shows less than it had shown before. */
  'rolled-back',
] as const;

export type FatalCondition = (typeof FATAL_CONDITIONS)[number];

export class FatalError extends Error {
  readonly condition: FatalCondition;

  constructor(condition: FatalCondition, message: string) {
    super(message);
    this.name = 'FatalError';
    this.condition = condition;
  }
}
