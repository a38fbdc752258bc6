/**
 * The items of the Log table: `head`, which the sequencer writes, and `receipt-keys`, which the upload function reads.
 */

/** When a look for entries that the log lacks was begun, and when the last one ended, in milliseconds since 1970; 0: never. */
export interface Look {
  readonly begunAt: number;
  readonly doneAt: number;
}

/** The head of the log as it is claimed: the one item that decides what the next leaves are. */
export interface Head {
  readonly id: 'head';
  /** Grows by one with each write, which is conditional on the one before. */
  readonly version: number;
  /** Names the write: a sequencer that lost the answer to it recognizes its own. */
  readonly claim: string;
  /** When it was written, in milliseconds since 1970. It never goes back. */
  readonly writtenAt: number;
  /** The number of leaves, and the root over them. */
  readonly size: number;
  readonly root: Uint8Array;
  /** The head before the last append: its checkpoint is published before this one is claimed. */
  readonly fromSize: number;
  readonly fromRoot: Uint8Array;
  /** Milliseconds since 1970. Every entry received before it that was in the index is in the log. */
  readonly cursor: number;
  /** The verifier keys, as text, whose leaves are in the log. */
  readonly keys: readonly string[];
  /** How large the log was when the cursor entered an hour, for the last hours: entries received later come later. */
  readonly marks: readonly { readonly cursor: number; readonly size: number }[];
  /** The hourly look at the last hours, and the daily look at everything. */
  readonly hours: Look;
  readonly everything: Look;
}

/** A key that signs receipts, or signed them once. */
interface ReceiptKey {
  /** The verifier key as text, by the name `<origin>/receipts`. */
  readonly verifierKey: string;
  /** When it was made, ISO 8601. */
  readonly createdAt: string;
}

/** The keys of receipts: the one that signs, and all that came before it. */
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

/** Returns the context under which the private half of a receipt key is sealed: it opens for nothing else. */
export const receiptKeyContext = (origin: string) => ({ purpose: 'receipts', origin });
