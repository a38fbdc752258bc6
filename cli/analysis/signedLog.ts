import type { Entry } from '../../functions/ailog/entry.ts';

/** The facts of an entry that the analyses of time and orders need. `createSignedLogs` keeps many of them. */
export interface SignedLog {
  readonly uid: string;
  readonly entryId: string;
  /** The time at which the team signed it, in milliseconds since 1970. */
  readonly signedAt: number;
  /**
   * The time at which the service received it, in milliseconds since 1970. It decides which of two teams was first: a
   * team can sign with any time within 30 s of the service's clock.
   */
  readonly receivedAt: number;
  /** The order that it names, as decimal digits. Absent: none. */
  readonly orderId?: string;
}

/** Returns these facts of an entry. */
export const signedLogOf = ({ uid, entryId, timestamp, receivedAt, orderId }: Entry): SignedLog => ({
  uid,
  entryId,
  signedAt: Number(timestamp),
  receivedAt,
  ...(orderId !== undefined && { orderId: String(orderId) }),
});
