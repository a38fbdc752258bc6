import { hash } from 'node:crypto';
import type { Fault } from '../setup/faults.ts';

/** The kinds of partitions that an upload writes to, and the table AiLogs with its indexes. */
export type Kind = 'entries' | 'uid counter' | 'ip counter' | 'order' | 'arrival' | 'index' | 'table';

/** An attribute as DynamoDB's protocol has it. */
type Attribute = Partial<Record<'S' | 'N' | 'B', string>>;

const FAULTS = {
  entries: 'throttled by its partition',
  'uid counter': 'throttled by its partition',
  'ip counter': 'throttled by its partition',
  order: 'throttled by its partition of an index',
  arrival: 'throttled by its partition of an index',
  index: 'throttled by its partition of an index',
  table: 'throttled as a table',
} as const satisfies Record<Kind, Fault>;

/** Returns the write units of an item: one for each KB of its names and values. Numbers take at most 21 bytes. */
function unitsOf(item: Record<string, Attribute>): number {
  const sizes = Object.entries(item).map(([name, { S = '', N, B = '' }]) => {
    const value = N === undefined ? Buffer.byteLength(S) + Buffer.from(B, 'base64').length : 21;
    return Buffer.byteLength(name) + value;
  });
  return Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024);
}

/** Returns the partition of an index by arrival that has a key: DynamoDB places keys by their hash. */
const partitionOf = (slot: string, partitions: number) =>
  `${Number.parseInt(hash('sha256', slot).slice(0, 8), 16) % partitions}`;

/** Returns the units that a call of an upload consumes of each partition, and of the table. */
function chargesOf(body: string, partitions: number): { kind: Kind; key: string; units: number }[] {
  const { Key: { subjectWindow: counter } = {}, Item: item } = JSON.parse(body);
  if (counter) return [{ kind: counter.S.startsWith('uid#') ? 'uid counter' : 'ip counter', key: counter.S, units: 1 }];
  if (!item?.slot) return [];
  const units = unitsOf(item);
  return [
    { kind: 'table', key: 'AiLogs', units: units + 2 },
    { kind: 'entries', key: item.uid.S, units },
    { kind: 'order', key: item.orderId.N, units: 1 },
    { kind: 'arrival', key: item.slot.S, units: 1 },
    { kind: 'index', key: partitionOf(item.slot.S, partitions), units: 1 },
  ];
}

/**
 * Counts the write units of each partition per second, and throttles calls above a limit, as DynamoDB does. A throttled
 * call consumes nothing.
 * @param limits units per second of each partition of a kind; without a limit, a kind is only counted
 * @param second the current second of the simulated clock
 * @param partitions the partitions of the index by arrival. A new index has four.
 */
export function meterPartitions(limits: Partial<Record<Kind, number>>, second: () => number, partitions = 4) {
  const perSecond = new Map<string, number>();
  const consumed = new Map<Kind, Map<string, number>>();
  const rule = (body: string) => {
    const charges = chargesOf(body, partitions).map((charge) => {
      const bucket = `${charge.kind} ${charge.key} ${second()}`;
      return { ...charge, bucket, after: (perSecond.get(bucket) ?? 0) + charge.units };
    });
    const over = charges.find(({ kind, after }) => after > (limits[kind] ?? Number.POSITIVE_INFINITY));
    if (over) return FAULTS[over.kind];
    for (const { kind, key, units, bucket, after } of charges) {
      perSecond.set(bucket, after);
      const ofKind = consumed.get(kind) ?? new Map<string, number>();
      consumed.set(kind, ofKind.set(key, (ofKind.get(key) ?? 0) + units));
    }
    return undefined;
  };
  /** Returns the units that each partition of a kind has taken. */
  const unitsTaken = (kind: Kind): number[] => [...(consumed.get(kind)?.values() ?? [])];
  return { rule, unitsTaken };
}
