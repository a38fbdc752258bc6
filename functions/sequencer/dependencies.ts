import type { Signer } from '../c2sp/note.ts';
import type { Policy } from '../c2sp/policy.ts';
import type { Arrivals } from './arrivals.ts';
import type { Heads } from './heads.ts';
import type { ReceiptKeyTable } from './receiptKeys.ts';
import type { ReconciliationLimits } from './reconciliationLimits.ts';
import type { TlogStorage } from './storage.ts';

/** The tables, files, keys and clock that the sequencer works with. */
export interface Dependencies {
  /** The name of the log, which is the first line of every checkpoint. */
  readonly origin: string;
  readonly storage: TlogStorage;
  readonly heads: Heads;
  readonly arrivals: Arrivals;
  readonly receiptKeys: ReceiptKeyTable;
  /** Returns the keys that sign checkpoints: one, or two during a rotation. */
  readonly signers: (abortSignal: AbortSignal) => Promise<readonly Signer[]>;
  /** The witnesses to ask and their quorum; undefined: no witnesses. */
  readonly witnesses: Policy | undefined;
  /** The timeout of a request to a witness, in milliseconds. */
  readonly witnessTimeout: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The milliseconds that an entry waits before it is sequenced. Longer than an upload takes and than the index is
   * usually behind.
   */
  readonly lag: number;
  readonly reconciliation: ReconciliationLimits;
}
