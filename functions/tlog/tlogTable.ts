/**
 * The items of the Tlog table: `head`, which the sequencer writes, and `receipt-keys`, which the upload function reads.
 */

/** The start of the last reconciliation, and of the last one that ended, in milliseconds since 1970; 0: never. */
interface Reconciliation {
  readonly begunAt: number;
  readonly doneAt: number;
}

/** A place in one segment of a scan of the AI logs: its start, its end, or the key of the last entry that was read. */
export type ScanPosition = 'start' | 'end' | { readonly uid: string; readonly entryId: string };

/** A daily reconciliation that has not ended. The next run continues it. */
export interface ReconciliationProgress {
  /** Entries received before it are compared with the log. Milliseconds since 1970. */
  readonly until: number;
  /** The number of leaves when it began. */
  readonly size: number;
  /** The place of the scan in each segment of the table. */
  readonly segments: readonly ScanPosition[];
  /** The paths of the files with the missing entries that the scan has found. */
  readonly files: readonly string[];
  /**
   * The record of the last missing entry that was appended (functions/sequencer/missingEntries.ts). Absent: none yet.
   */
  readonly appended?: Uint8Array;
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
  /** The comparison of the last hours with the index. */
  readonly hourly: Reconciliation;
  /** The comparison of the whole table. The first one is the backfill of entries that are older than the log. */
  readonly daily: Reconciliation & { readonly progress?: ReconciliationProgress };
}

interface ReceiptKey {
  /** The verifier key as text, by the name `<origin>/receipts`. */
  readonly verifierKey: string;
  /** The time of its creation, ISO 8601. */
  readonly createdAt: string;
  /** The request for it, and the admin who made it. Absent: the first key. */
  readonly requestId?: string;
  readonly requestedBy?: string;
  /** The time from which the next key signed instead, ISO 8601. Absent: it has not been replaced. */
  readonly replacedAt?: string;
}

/** A key of receipts with its private half: PKCS #8 (DER), sealed under the context of `receiptKeyContext`. */
export interface SealedReceiptKey extends ReceiptKey {
  readonly sealedPrivateKey: Uint8Array;
}

/** An admin's request for a new receipt key. */
export interface RotationRequest {
  /** Identifies the request, so that an admin recognizes it after a lost response. */
  readonly id: string;
  /** The time of the request, ISO 8601. */
  readonly at: string;
  readonly by: string;
  /** The time from which the new key signs, in milliseconds since 1970. */
  readonly startsAt: number;
}

/**
 * The keys of receipts. A rotation goes from `requested` (written by an admin) to `next` (made by the sequencer, which
 * puts its leaf into the log) to `current` (at `startsAt`).
 */
export interface ReceiptKeys {
  readonly id: 'receipt-keys';
  /** The key that signs. */
  readonly current: SealedReceiptKey;
  readonly requested?: RotationRequest;
  readonly next?: SealedReceiptKey & Pick<RotationRequest, 'startsAt'>;
  /** Oldest first, without their private halves. Their receipts verify forever. */
  readonly previous: readonly ReceiptKey[];
}

/** The items of the Tlog table. */
export type TlogItem = Head | ReceiptKeys;

/** Returns the name of the key that signs the receipts of a log. */
export const receiptKeyName = (origin: string): string => `${origin}/receipts`;

/** Returns the encryption context that seals the private half of a receipt key. */
export const receiptKeyContext = (origin: string) => ({ purpose: 'receipts', origin });
