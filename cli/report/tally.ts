import { createHash } from 'node:crypto';
import type { Entry } from '../../functions/ailog/entry.ts';
import { parseExactly } from '../terminal/format.ts';

/** The maximum number of models, or of stages, that are counted by name for a team. */
const NAMED = 100;

/** The name under which all others are counted. */
const OTHERS = '(others)';

/** The competition's requirements of an AI log, by the name under which an entry without it is counted. */
const requirements = {
  /** The model has a version: a digit in its name, as in GPT-5-mini. */
  modelVersion: (entry: Entry) => /\d/.test(entry.model),
  /** Neither input nor output is the empty object. */
  data: (_entry: Entry, { input, output }: LogData) => isFilled(input) && isFilled(output),
  /** The log names the order whose execution it explains. */
  order: (entry: Entry) => entry.orderId !== undefined,
} as const satisfies Record<string, (entry: Entry, data: LogData) => boolean>;

/** The name of a requirement. */
type Requirement = keyof typeof requirements;

/** The input and output of a model. */
interface LogData {
  readonly input?: unknown;
  readonly output?: unknown;
}

const isFilled = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Counts by name. */
export type Counts = Map<string, number>;

/**
 * The counts of one team. Its size depends on the days, on the named models and stages, and on two short digests per
 * distinct entry, not on the size of the entries.
 */
export interface Tally {
  entries: number;
  /** The times of the first and the last signature, in milliseconds since 1970. */
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
  /** Entries that meet all requirements. */
  complete: number;
  readonly missing: Record<Requirement, number>;
}

/** Creates the tally of a team without entries. */
export const createTally = (): Tally => ({
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

/** Shortens a SHA-256 to 96 bits, which is enough to distinguish entries and takes 12 bytes of memory. */
const shortenDigest = (sha256: Buffer) => sha256.subarray(0, 12).toString('latin1');

/** Parses input and output of a body, every number digit for digit; empty if the body cannot be parsed. */
function parseData(body: string | undefined): LogData {
  try {
    return parseExactly(body ?? '{}') as LogData;
  } catch {
    return {};
  }
}

/** Returns the digest of input and output, independent of the other fields. @param fallback the digest of the body */
function digestData({ input, output }: LogData, fallback: string): string {
  if (input === undefined) return fallback;
  try {
    return shortenDigest(
      createHash('sha256')
        .update(JSON.stringify([input, output]))
        .digest(),
    );
  } catch {
    return fallback;
  }
}

/** Adds an entry to the tally of its team. The entries of a team must be added in the order of their signatures. */
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

  const data = parseData(body);
  const digest = shortenDigest(Buffer.from(entry.bodySha256, 'hex'));
  tally.bodies.add(digest);
  tally.data.add(digestData(data, digest));

  const names = Object.keys(requirements) as Requirement[];
  const missing = names.filter((name) => !requirements[name](entry, data));
  for (const name of missing) tally.missing[name] += 1;
  if (missing.length === 0) tally.complete += 1;
}
