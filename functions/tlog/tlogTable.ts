/**
 * The items of the Tlog table: `head`, which the sequencer writes, and `receipt-keys`, which the upload function reads.
 */

/** The size of the log when its cursor was at a time: what was received from then on comes after it. */
export interface Mark {
  /** Milliseconds since 1970. */
  readonly cursor: number;
  readonly size: number;
}

export interface LoggedKey {
  /** The verifier key as text. */
  readonly key: string;
  /** The index of its leaf, and the size of the first checkpoint over it. */
  readonly index: number;
  readonly size: number;
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
  /** Milliseconds since 1970. Entries received before it are in the log, except those that the index shows late. */
  readonly cursor: number;
  /** Entries received before this time were looked for a second time, two days later. Milliseconds since 1970. */
  readonly looked: number;
  /**
   * The time from which on entries before the cursor are read again, because a clock was ahead when it was moved.
   * Milliseconds since 1970. Absent: nothing is to be read again.
   */
  readonly readAgainFrom?: number;
  /** The public keys whose leaves are in the log, oldest first. */
  readonly keys: readonly LoggedKey[];
  /** The retention that the log announces, in days; 0: for ever. Absent: none yet. */
  readonly retentionDays?: number;
  /** What witnesses said last that contradicts the log, by their names in the policy. Absent: nothing yet. */
  readonly contradictions?: Readonly<Record<string, string>>;
  /** One for each 10 minutes of the last three days, oldest first. */
  readonly marks: readonly Mark[];
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

export type TlogItem = Head | ReceiptKeys;

/** Returns the name of the key that signs the receipts of a log. */
export const receiptKeyName = (origin: string): string => `${origin}/receipts`;

/** Returns the encryption context that seals the private half of a receipt key. */
export const receiptKeyContext = (origin: string) => ({ purpose: 'receipts', origin });
