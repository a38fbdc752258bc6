/**
 * The conditions that stop the log until a person has investigated. The sequencer never repairs them.
 * docs/runbook/stopped-tlog.md says what to do.
 */
export const FATAL_CONDITIONS = [
  /** The clock differs from that of the storage. */
  'clock-differs',
  /** The clock reads earlier than when the head was written. */
  'clock-moved-back',
  /** The published checkpoint is larger than the claimed head, or there is no head. */
  'storage-ahead',
  /** The published checkpoint is missing, or older than the previous head. */
  'storage-behind',
  /** A file exists with other bytes. */
  'file-differs',
  'file-missing',
  /** A root does not match the tiles, the staged entries or the checkpoint. */
  'root-differs',
  /** The head has keys, and none of them is of a log of this name. */
  'origin-differs',
  /** None of the configured keys is a key of the log. */
  'key-unknown',
  /** Witnesses without which there is no quorum have seen a larger log of this name, or another one. */
  'witness-contradicts',
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
