import type { Entry } from '../../functions/ailog/entry.ts';

/** The facts of an entry that the analyses of time and orders need. About 200 bytes of memory each. */
export interface SignedLog {
  readonly uid: string;
  readonly entryId: string;
  /** The time at which the team signed it, in milliseconds since 1970. */
  readonly signedAt: number;
  /** The order that it names, as decimal digits. Absent: none. */
  readonly orderId?: string;
}

/** Returns these facts of an entry. */
export const signedLogOf = ({ uid, entryId, timestamp, orderId }: Entry): SignedLog => ({
  uid,
  entryId,
  signedAt: Number(timestamp),
  ...(orderId !== undefined && { orderId: String(orderId) }),
});

/** Compares logs by the time of their signature, then by their id, for sorting. */
export const bySignature = (a: SignedLog, b: SignedLog): number =>
  a.signedAt - b.signedAt || (a.entryId < b.entryId ? -1 : Number(a.entryId > b.entryId));
