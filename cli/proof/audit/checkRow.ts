import { createHash } from 'node:crypto';
import { type Entry, entryIdOf } from '../../../functions/ailog/entry.ts';
import { arrivalKeysOf } from '../../../functions/tlog/arrival.ts';
import { HASHED_ATTRIBUTES } from '../../../functions/tlog/entryHash.ts';
import { readBody } from '../../store/entries/describeEntry.ts';
import { verifyContent } from '../../store/entries/verifyContent.ts';
import { rowKeysOf } from '../log/rowPlace.ts';
import type { Report } from './findings.ts';

/** The attributes of an entry. The service stores no other. */
const ATTRIBUTES: readonly string[] = [
  ...HASHED_ATTRIBUTES,
  ...['orderId', 'stage', 'model', 'body', 'expiresAt', 'slot', 'arrival'],
];

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e13;

/** Returns the names of the arrival attributes that the service does not store so. */
function changedArrival({ receivedAt, ...entry }: Entry, entryHash: Buffer | undefined): string[] {
  const keys = entryHash && isTime(receivedAt) ? arrivalKeysOf(receivedAt, entryHash) : undefined;
  const textOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);
  return (['slot', 'arrival'] as const).filter((name) => !keys || textOf(keys[name]) !== textOf(entry[name]));
}

/**
 * Checks an entry by itself, and reports what is wrong. @returns its row of the table `compared`; `claimed`: the other
 * entry hash that its arrival keys name; `expires_at`: -1 if it is no time
 */
export function checkRow(entry: Entry, bodies: boolean, report: Report) {
  const { uid, entryId, receivedAt, expiresAt } = entry;
  const wrong = (problem: string) => report({ kind: 'damaged', uid, entryId, problem });
  const { entryHash, stored, isIndexed } = rowKeysOf(entry);
  if (bodies) {
    const bytes = readBody(entry);
    const fields = bytes ? verifyContent(entry, bytes).fields : 'ok';
    const digest = bytes && createHash('sha256').update(bytes).digest('hex');
    if (!bytes) wrong('The stored body is damaged.');
    else if (entry.bodySha256 !== digest || entry.bodyBytes !== bytes.length)
      wrong('The stored body does not have the digest or length that the entry names.');
    if (fields !== 'ok') wrong(`Not as in the body: ${fields.slice('wrong: '.length)}.`);
  }
  if (!stored) {
    const changed = changedArrival(entry, entryHash);
    if (changed.length > 0) wrong(`Not as the service stores it: ${changed.join(', ')}.`);
    if (entryId !== entryIdOf(entry)) wrong('The entry id does not follow from access key, timestamp and signature.');
  }
  const unknown = Object.keys(entry).filter((name) => !ATTRIBUTES.includes(name));
  if (unknown.length > 0) wrong(`The service does not store ${unknown.join(', ')}.`);
  return {
    uid,
    entry_id: entryId,
    hash: entryHash,
    claimed: stored?.entryHash,
    is_indexed: isIndexed,
    received_at: isTime(receivedAt) ? receivedAt : null,
    expires_at: expiresAt === undefined ? null : isTime(expiresAt) ? expiresAt : -1,
  };
}
