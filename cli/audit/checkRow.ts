import { createHash } from 'node:crypto';
import { type Entry, entryIdOf } from '../../functions/ailog/entry.ts';
import { arrivalKeys, parseArrival } from '../../functions/tlog/arrival.ts';
import {
  entryHashOf,
  entryPreimage,
  type HashedAttributes,
  pickHashedAttributes,
} from '../../functions/tlog/entryHash.ts';
import { bodyOf } from '../entries/bodyOf.ts';
import { verifyContent } from '../entries/verifyContent.ts';
import type { Finding } from './findings.ts';

/** An entry without `expiresAt`. */
export const NO_EXPIRY = -1;

/** An entry whose `expiresAt` is not a whole number of days after it was received. */
export const IRREGULAR = -2;

const DAY_SECONDS = 86_400;

/** The time for which two versions of a function may run side by side while one replaces the other, in milliseconds. */
export const ROLLOUT_MS = 15 * 60_000;

/** The statements of a table's entry about itself. */
export interface CheckedRow {
  readonly source: HashedAttributes;
  /** The leaf that its attributes have. */
  readonly leaf: Buffer;
  /** The leaf in its arrival attributes; undefined if they name none. */
  readonly claimed: Buffer | undefined;
  /** True if it has arrival attributes, as everything that the upload function stores. */
  readonly hasArrival: boolean;
  /** Milliseconds since 1970; undefined if it is not a time. */
  readonly receivedAt: number | undefined;
  /** The days for which it is kept, `NO_EXPIRY` or `IRREGULAR`. */
  readonly retention: number;
  /** The body that is stored now; undefined if it is damaged or was not read. */
  readonly body: Pick<Entry, 'bodySha256' | 'bodyBytes'> | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Returns the leaf of any attributes. Only a write past the service can have put a number there that needs a bigint.
 */
function leafOfAny(source: HashedAttributes): Buffer {
  const texts = Object.entries(source).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? `${value as bigint} is not a safe integer` : value,
  ]);
  return entryHashOf(entryPreimage(Object.fromEntries(texts)));
}

/** Returns the time of a row; undefined if an upload cannot have it. */
const timeOf = (receivedAt: unknown): number | undefined =>
  typeof receivedAt === 'number' && Number.isSafeInteger(receivedAt) && receivedAt >= 0 && receivedAt < 1e13
    ? receivedAt
    : undefined;

function retentionOf(receivedAt: number | undefined, expiresAt: unknown): number {
  if (expiresAt === undefined) return NO_EXPIRY;
  if (typeof expiresAt !== 'number' || receivedAt === undefined) return IRREGULAR;
  const days = (expiresAt - Math.ceil(receivedAt / 1000)) / DAY_SECONDS;
  return Number.isInteger(days) && days > 0 && days < 2 ** 31 ? days : IRREGULAR;
}

/** Compares the body with its digest, and the copies with the body. */
function checkBody(entry: Entry): Pick<CheckedRow, 'body' | 'findings'> {
  const { uid, entryId } = entry;
  let bytes: Buffer;
  try {
    bytes = bodyOf(entry);
  } catch {
    return { body: undefined, findings: [{ kind: 'body', uid, entryId, problem: 'The stored body is damaged.' }] };
  }
  const body = { bodySha256: createHash('sha256').update(bytes).digest('hex'), bodyBytes: bytes.length };
  const { fields } = verifyContent(entry, bytes);
  const findings: Finding[] = [];
  const namesIn = (finding: string) => finding.slice('wrong: '.length);
  if (entry.bodySha256 !== body.bodySha256 || entry.bodyBytes !== body.bodyBytes) {
    const problem = 'The stored body does not have the digest or length that the entry names.';
    findings.push({ kind: 'body', uid, entryId, problem });
  }
  if (fields !== 'ok') {
    findings.push({ kind: 'copies', uid, entryId, problem: `Not as in the body: ${namesIn(fields)}.` });
  }
  return { body, findings };
}

/** Returns an arrival attribute as text; bytes as hex. */
const textOf = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

/** Checks an entry of the table by itself. @param bodies whether its body was read */
export function checkRow(entry: Entry, bodies: boolean): CheckedRow {
  const { uid, entryId, slot, arrival, expiresAt } = entry;
  const source = pickHashedAttributes(entry);
  const leaf = leafOfAny(source);
  const receivedAt = timeOf(entry.receivedAt);
  const hasArrival = slot !== undefined || arrival !== undefined;
  const claimed = parseArrival(arrival)?.entryHash;
  const retention = retentionOf(receivedAt, expiresAt);
  const { body, findings: bodyFindings } = bodies ? checkBody(entry) : { body: undefined, findings: [] };
  const findings: Finding[] = [...bodyFindings];
  const isOther = claimed !== undefined && Buffer.compare(claimed, leaf) !== 0;
  if (hasArrival && !isOther) {
    const keys = receivedAt === undefined ? undefined : arrivalKeys(source);
    const attributes = (['slot', 'arrival'] as const)
      .map((name) => ({ name: name as string, logged: textOf(keys?.[name]), stored: textOf(entry[name]) }))
      .filter(({ logged, stored }) => logged !== stored);
    const names = attributes.map(({ name }) => name).join(', ');
    if (attributes.length > 0)
      findings.push({ kind: 'arrival', uid, entryId, problem: `Not as the service stores it: ${names}.`, attributes });
  }
  if (!isOther && entryId !== entryIdOf(entry)) {
    const problem = 'The entry id does not follow from access key, timestamp and signature.';
    findings.push({ kind: 'id', uid, entryId, problem });
  }
  if (retention === IRREGULAR) {
    const problem = 'expiresAt is not a whole number of days after the entry was received.';
    findings.push({ kind: 'expiry', uid, entryId, problem, attributes: [{ name: 'expiresAt', stored: expiresAt }] });
  }
  return { source, leaf, claimed: isOther ? claimed : undefined, hasArrival, receivedAt, retention, body, findings };
}
