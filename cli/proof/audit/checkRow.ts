import { createHash } from 'node:crypto';
import { type Entry, entryIdOf } from '../../../functions/ailog/entry.ts';
import { arrivalKeysOf } from '../../../functions/tlog/arrival.ts';
import { HASHED_ATTRIBUTES } from '../../../functions/tlog/entryHash.ts';
import { readBody } from '../../store/entries/describeEntry.ts';
import { verifyContent } from '../../store/entries/verifyContent.ts';
import { rowKeysOf } from '../inclusion/place.ts';
import type { ChangedAttribute, FindingKind, Report } from './findings.ts';

/** The attributes of an entry. The service stores no other. */
const ATTRIBUTES: readonly string[] = [
  ...HASHED_ATTRIBUTES,
  ...['orderId', 'stage', 'model', 'body', 'expiresAt', 'slot', 'arrival'],
];

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e13;

/** Returns an attribute as text; bytes as hex. */
const textOf = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

function changedArrival(entry: Entry, entryHash: Buffer | undefined): ChangedAttribute[] {
  const keys = entryHash && isTime(entry.receivedAt) ? arrivalKeysOf(entry.receivedAt, entryHash) : undefined;
  return (['slot', 'arrival'] as const)
    .map((name) => ({ name, logged: textOf(keys?.[name]), stored: textOf(entry[name]) }))
    .filter(({ logged, stored }) => logged === undefined || logged !== stored);
}

/**
 * Checks an entry of the table by itself, and reports what is wrong.
 * @returns its row of the table `row`. `claimed`: the other entry hash that its arrival attributes name; `received_at`:
 * null if it is not a time; `expires_at`: null if it never expires, and -1 if it is not a time.
 */
export function checkRow(entry: Entry, bodies: boolean, report: Report) {
  const { uid, entryId, receivedAt, expiresAt } = entry;
  const wrong = (kind: FindingKind, problem: string, attributes?: ChangedAttribute[]) =>
    report({ kind, uid, entryId, problem, attributes });
  const { entryHash, stored, isIndexed } = rowKeysOf(entry);
  if (bodies) {
    const bytes = readBody(entry);
    const fields = bytes ? verifyContent(entry, bytes).fields : 'ok';
    const digest = bytes && createHash('sha256').update(bytes).digest('hex');
    if (!bytes) wrong('body', 'The stored body is damaged.');
    else if (entry.bodySha256 !== digest || entry.bodyBytes !== bytes.length)
      wrong('body', 'The stored body does not have the digest or length that the entry names.');
    if (fields !== 'ok') wrong('copies', `Not as in the body: ${fields.slice('wrong: '.length)}.`);
  }
  if (!stored) {
    const changed = changedArrival(entry, entryHash);
    const names = changed.map(({ name }) => name).join(', ');
    if (changed.length > 0) wrong('arrival', `Not as the service stores it: ${names}.`, changed);
    if (entryId !== entryIdOf(entry))
      wrong('id', 'The entry id does not follow from access key, timestamp and signature.');
  }
  const unknown = Object.keys(entry).filter((name) => !ATTRIBUTES.includes(name));
  if (unknown.length > 0) wrong('copies', `The service does not store ${unknown.join(', ')}.`);
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
