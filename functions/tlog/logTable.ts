/**
 * The items of the Log table: `head`, which the sequencer writes, and `receipt-keys`, which the upload function reads.
 */

/**
 * The start of the last search for missing entries, and of the last one that ended, in milliseconds since 1970; 0:
 * never.
 */
export interface Look {
  readonly begunAt: number;
  readonly doneAt: number;
}

/** The head of the log. The sequencer that writes the next version of it decides the next leaves. */
export interface Head {
  readonly id: 'head';
  /** Increases by one with each write, on the condition that it was not changed. */
  readonly version: number;
  /** Identifies the write, so that a sequencer recognizes its own after a lost response. */
  readonly claim: string;
  /** The time of the write in milliseconds since 1970. It never goes back. */
  readonly writtenAt: number;
  /** The number of leaves, and the root over them. */
  readonly size: number;
  readonly root: Uint8Array;
  /** The size and root before the last append. Their checkpoint was published before this head was claimed. */
  readonly fromSize: number;
  readonly fromRoot: Uint8Array;
  /**
   * Milliseconds since 1970. Entries received before it are in the log, except those that the index showed too late.
   */
  readonly cursor: number;
  /** The verifier keys, as text, whose leaves are in the log. */
  readonly keys: readonly string[];
  /**
   * The size of the log at earlier cursors, about one per hour. Entries received from a cursor on come after its size.
   */
  readonly marks: readonly { readonly cursor: number; readonly size: number }[];
  /** The hourly look at the last hours, and the daily look at everything. */
  readonly hours: Look;
  readonly everything: Look;
}

/** A current or previous key of receipts. */
interface ReceiptKey {
  /** The verifier key as text, by the name `<origin>/receipts`. */
  readonly verifierKey: string;
  /** The time of its creation, ISO 8601. */
  readonly createdAt: string;
}

/** The keys of receipts. */
export interface ReceiptKeys {
  readonly id: 'receipt-keys';
  /** `sealedPrivateKey`: PKCS #8 (DER), sealed under the context of `receiptKeyContext`. */
  readonly current: ReceiptKey & { readonly sealedPrivateKey: Uint8Array };
  /** Oldest first. Their receipts verify forever. */
  readonly previous: readonly ReceiptKey[];
}

/** The items of the Log table. */
export type LogItem = Head | ReceiptKeys;

/** Returns the name of the key that signs the receipts of a log. */
export const receiptKeyName = (origin: string): string => `${origin}/receipts`;

/** Returns the encryption context that seals the private half of a receipt key. */
export const receiptKeyContext = (origin: string) => ({ purpose: 'receipts', origin });
