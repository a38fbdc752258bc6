import type { Signer } from '../tlog/note.ts';
import type { Policy } from '../tlog/policy.ts';
import type { Arrivals } from './arrivals.ts';
import type { Heads } from './heads.ts';
import type { ReceiptKeyTable } from './receiptKeys.ts';
import type { LogStorage } from './storage.ts';

/** The tables, files, keys and clock that the sequencer works with. */
export interface Dependencies {
  /** The log's name: the first line of every checkpoint. */
  readonly origin: string;
  readonly storage: LogStorage;
  readonly heads: Heads;
  readonly arrivals: Arrivals;
  readonly receiptKeys: ReceiptKeyTable;
  /** Returns the keys that sign checkpoints: one, or two while the old one is being replaced. */
  readonly signers: (abortSignal: AbortSignal) => Promise<readonly Signer[]>;
  /** The witnesses to ask, and how many of them are enough; undefined: none are asked. */
  readonly witnesses: Policy | undefined;
  /** Milliseconds that a witness has for one answer. All are asked at once, and none is waited for longer. */
  readonly witnessTimeout: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Milliseconds that an entry waits before it is sequenced: longer than an upload takes, so that it is stored, and than the
   * index is usually behind.
   */
  readonly lag: number;
}
