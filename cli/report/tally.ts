import { createHash } from 'node:crypto';
import type { Entry } from '../../functions/ailog/entry.ts';
import { parseExactly } from '../terminal/format.ts';

/** How many different models, or stages, of a team are counted by name; the rest is counted together. */
const NAMED = 100;

/** Where the rest is counted. */
const OTHERS = '(others)';

/** What the competition's rule asks of an AI log, by what is counted as missing it. */
const requirements = {
  /** The model field names a version: it has a digit, as in GPT-5-mini. */
  modelVersion: (entry: Entry) => /\d/.test(entry.model),
  /** Both input and output say something: neither is the empty object. */
  data: (_entry: Entry, { input, output }: LogData) => isFilled(input) && isFilled(output),
  /** The log names the order whose execution it explains. */
  order: (entry: Entry) => entry.orderId !== undefined,
} as const satisfies Record<string, (entry: Entry, data: LogData) => boolean>;

/** The name of a requirement. */
type Requirement = keyof typeof requirements;

/** What was given to the model, and what came back. */
interface LogData {
  readonly input?: unknown;
  readonly output?: unknown;
}

const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Counts by name. */
export type Counts = Map<string, number>;

/**
 * What is counted of one team while its entries pass by. It grows with the days, with the named models and stages, and by
 * two short digests for each entry that differs; not with the entries themselves.
 */
export interface Tally {
  entries: number;
  /** When the first and the last entry were signed, in milliseconds since 1970. */
  first?: number;
  last?: number;
  /** The longest time between two entries, in milliseconds. */
  longestSilence: number;
  readonly days: Counts;
  readonly models: Counts;
  readonly stages: Counts;
  withOrder: number;
  readonly bodies: Set<string>;
  readonly data: Set<string>;
  /** Entries that carry all that is required. */
  complete: number;
  readonly missing: Record<Requirement, number>;
}

/** A team without entries. */
export const emptyTally = (): Tally => ({
  entries: 0,
  longestSilence: 0,
  days: new Map(),
  models: new Map(),
  stages: new Map(),
  withOrder: 0,
  bodies: new Set(),
  data: new Set(),
  complete: 0,
  missing: { modelVersion: 0, data: 0, order: 0 },
});

function count(counts: Counts, name: string): void {
  const counted = counts.has(name) || counts.size < NAMED ? name : OTHERS;
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
}

/** 96 bits of a SHA-256: enough to tell any number of entries apart, and a string of 12 bytes in memory. */
const shortDigest = (sha256: Buffer) => sha256.subarray(0, 12).toString('latin1');

/** Input and output of a body, every number digit for digit; empty where it cannot be read. */
function dataOf(body: string | undefined): LogData {
  try {
    return parseExactly(body ?? '{}') as LogData;
  } catch {
    return {};
  }
}

/** The digest of input and output: of their values as written, whatever stands around them. */
function dataDigest({ input, output }: LogData, otherwise: string): string {
  if (input === undefined) return otherwise;
  try {
    return shortDigest(
      createHash('sha256')
        .update(JSON.stringify([input, output]))
        .digest(),
    );
  } catch {
    return otherwise;
  }
}

/** Adds an entry to the tally of its team. The entries of a team must come in the order in which they were signed. */
export function tallyEntry(tally: Tally, entry: Entry, body: string | undefined): void {
  const at = Number(entry.timestamp);
  tally.entries += 1;
  tally.longestSilence = Math.max(tally.longestSilence, at - (tally.last ?? at));
  tally.first ??= at;
  tally.last = at;
  count(tally.days, new Date(at).toISOString().slice(0, 10));
  count(tally.models, entry.model.slice(0, 200));
  count(tally.stages, entry.stage.slice(0, 200));
  if (entry.orderId !== undefined) tally.withOrder += 1;

  const data = dataOf(body);
  const digest = shortDigest(Buffer.from(entry.bodySha256, 'hex'));
  tally.bodies.add(digest);
  tally.data.add(dataDigest(data, digest));

  const names = Object.keys(requirements) as Requirement[];
  const missing = names.filter((name) => !requirements[name](entry, data));
  for (const name of missing) tally.missing[name] += 1;
  if (missing.length === 0) tally.complete += 1;
}
