/** What must stop the log until someone has looked at it. Nothing of it is ever repaired by the sequencer. */
export type FatalCondition =
  /** The clock reads earlier than when the head was written. */
  | 'clock-went-back'
  /** The published checkpoint is not the claimed head's: it is larger, the head is gone, or the roots differ. */
  | 'storage-ahead'
  /** The published checkpoint is older than the head that was claimed before the last one, or gone. */
  | 'storage-behind'
  /** A file exists with other bytes. */
  | 'file-differs'
  /** A file that the log needs is gone. */
  | 'file-missing'
  /** A root does not follow from the tiles or the staged entries. */
  | 'root-differs';

/** An error that stops the log. docs/runbook says what to do about each condition. */
export class FatalLogError extends Error {
  readonly condition: FatalCondition;

  constructor(condition: FatalCondition, message: string) {
    super(message);
    this.name = 'FatalLogError';
    this.condition = condition;
  }
}
