import { growingRows } from './growingRows.ts';
import type { SignedLog } from './signedLog.ts';

const CANONICAL_ID = /^\d{13}-[0-9a-f]{32}$/;
/** The place of the hash in such an id. */
const HASH = 14;
const CANONICAL_ORDER = /^[1-9]\d{0,18}$/;
const HASH_BYTES = 16;

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * Keeps the signed logs of all teams in 44 bytes each, whatever their number. A log whose id or order the service would
 * not write keeps these as texts.
 */
export function createSignedLogs() {
  const uids: string[] = [];
  const teams = new Map<string, number>();
  const times = growingRows(8);
  const receipts = growingRows(8);
  const team = growingRows(4);
  const hashes = growingRows(HASH_BYTES);
  const orders = growingRows(8);
  const oddIds = new Map<number, string>();
  const oddOrders = new Map<number, string>();
  const hash = Buffer.alloc(HASH_BYTES);
  const [time, word, order] = [new Float64Array(1), new Uint32Array(1), new BigUint64Array(1)];
  const [timeBytes, wordBytes, orderBytes] = [time, word, order].map(({ buffer }) => new Uint8Array(buffer)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  let count = 0;

  const teamOf = (uid: string): number => {
    const known = teams.get(uid);
    if (known !== undefined) return known;
    teams.set(uid, uids.length);
    uids.push(uid);
    return uids.length - 1;
  };

  return {
    /** Adds a log. @returns its number; they count from 0 */
    add({ uid, entryId, signedAt, receivedAt, orderId }: SignedLog): number {
      if (CANONICAL_ID.test(entryId) && entryId.startsWith(`${signedAt}-`)) hash.write(entryId.slice(HASH), 'hex');
      else oddIds.set(count, entryId);
      hashes.push(hash);
      order[0] = orderId !== undefined && CANONICAL_ORDER.test(orderId) ? BigInt(orderId) : 0n;
      if (orderId !== undefined && String(order[0]) !== orderId) {
        order[0] = 0n;
        oddOrders.set(count, orderId);
      }
      orders.push(orderBytes);
      time[0] = signedAt;
      times.push(timeBytes);
      time[0] = receivedAt;
      receipts.push(timeBytes);
      word[0] = teamOf(uid);
      team.push(wordBytes);
      count += 1;
      return count - 1;
    },

    /** Returns the UIDs of the logs, in the order in which they were added first. */
    uids: (): readonly string[] => uids,

    /** Returns all logs in columns. Call it once, when all are added. */
    columns() {
      const signedAt = new Float64Array(times.take().buffer, 0, count);
      const receivedAt = new Float64Array(receipts.take().buffer, 0, count);
      const teamNumbers = new Uint32Array(team.take().buffer, 0, count);
      const orderIds = new BigUint64Array(orders.take().buffer, 0, count);
      const entryIdOf = (index: number): string =>
        oddIds.get(index) ?? `${signedAt[index]}-${Buffer.from(hashes.row(index)).toString('hex')}`;
      return {
        count,
        uids: uids as readonly string[],
        signedAt,
        receivedAt,
        /** The place of each log's UID in `uids`. */
        team: teamNumbers,
        /** The order that each log names; 0: none. */
        orderIds,
        /** True for a log whose order is not an order id, and therefore only in `at`. */
        hasOddOrder: (index: number): boolean => oddOrders.has(index),
        /** Returns a log as an object. */
        at(index: number): SignedLog {
          const orderId = orderIds[index] === 0n ? oddOrders.get(index) : String(orderIds[index]);
          return {
            uid: uids[teamNumbers[index] as number] as string,
            entryId: entryIdOf(index),
            signedAt: signedAt[index] as number,
            receivedAt: receivedAt[index] as number,
            ...(orderId !== undefined && { orderId }),
          };
        },
        /** Compares two logs of one team by the time of their signature, then by their id, for sorting. */
        compare: (a: number, b: number): number =>
          (signedAt[a] as number) - (signedAt[b] as number) || compareText(entryIdOf(a), entryIdOf(b)),
        /** Compares two logs of any teams by the time of their receipt, then by their id, for sorting. */
        compareReceived: (a: number, b: number): number =>
          (receivedAt[a] as number) - (receivedAt[b] as number) || compareText(entryIdOf(a), entryIdOf(b)),
      };
    },
  };
}

/** The signed logs of all teams. */
export type SignedLogColumns = ReturnType<ReturnType<typeof createSignedLogs>['columns']>;
