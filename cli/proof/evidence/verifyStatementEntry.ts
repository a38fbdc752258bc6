import { CLOCK_TOLERANCE_MS } from '../../../functions/auth/timestamp.ts';
import { decodeHash } from '../../../functions/c2sp/base64.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import type { OpenedCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { timeKey } from '../../store/entries/entryFilter.ts';
import { entryOf, verifyContent } from '../../store/entries/verifyContent.ts';
import type { FindingsCollector } from './evidence.ts';
import type { StatementEntry, StatementHeader } from './statement.ts';

/** The time after which an entry is in the log although the index showed it late, in milliseconds. */
const PENDING_LIMIT_MS = 15 * 60_000;

/** What is checked of an entry besides its line. `before`: the id of the entry before; undefined: it is the first. */
interface Surroundings {
  readonly header: StatementHeader;
  readonly before: string | undefined;
  /** Undefined if it cannot be trusted. */
  readonly checkpoint: OpenedCheckpoint | undefined;
}

/** Checks that an entry stands where it belongs. @returns the problems */
function checkPlace({ uid, entryId }: StatementEntry, { header, before }: Surroundings): string[] {
  const since = header.since !== null && entryId < timeKey(Date.parse(header.since));
  const until = header.until !== null && entryId >= timeKey(Date.parse(header.until));
  return [
    ...(uid === header.uid ? [] : [`The entry is of UID ${uid}, and the statement of UID ${header.uid}`]),
    ...(before === entryId ? ['The entry is in the statement twice'] : []),
    ...(before !== undefined && before > entryId ? ['The entry is not in order: a later one is before it'] : []),
    ...(since || until ? ['The entry was signed outside the period of the statement'] : []),
  ];
}

/** Checks the body, what follows from it, and the times. @returns the problems */
function checkContent(line: StatementEntry): string[] {
  if (line.body === null) return ['The stored body is damaged'];
  const entry = entryOf({ ...line });
  const { digest, fields } = verifyContent(entry, Buffer.from(line.body));
  const delay = Math.abs(entry.receivedAt - Number(entry.timestamp));
  return [
    ...(digest === 'ok'
      ? []
      : [`Digest, length and id do not follow from body and signature: ${digest.replace('wrong: ', '')}`]),
    ...(fields === 'ok' ? [] : [`Differs from the body: ${fields.replace('wrong: ', '')}`]),
    ...(delay <= CLOCK_TOLERANCE_MS ? [] : ['receivedAt is not within 30 s of the signed timestamp']),
  ];
}

/** Checks the inclusion proof. @throws Error that says what does not hold */
function checkProof({ index, proof }: StatementEntry, entryHash: Buffer, { size, root }: OpenedCheckpoint): true {
  if (index === null || proof === null) throw new Error('The entry is said to be in the log, and has no proof');
  const hashes = proof.map((hash, position) => decodeHash(hash, `Hash ${position + 1} of the proof`));
  if (verifyInclusion(hashes, { index, size, leafHash: leafHashOf(entryHash), root })) return true;
  throw new Error(
    `The proof does not show this entry at index ${index} of the log: an attribute or the proof was changed`,
  );
}

/** Returns the problem of an entry without a proof; undefined if it is only too early for one. */
function checkAbsence({ status, receivedAt, index, proof }: StatementEntry, generatedAt: string): string | undefined {
  if (index !== null || proof !== null) return `The entry is marked as ${status}, and has a proof`;
  if (status === 'differs') return 'The organisers mark the entry as changed since it was stored';
  if (status === 'missing') return 'The organisers mark the entry as missing in the log';
  const age = Date.parse(generatedAt) - Date.parse(receivedAt as string);
  if (age <= PENDING_LIMIT_MS) return undefined;
  return 'The entry is marked as pending, although it was received more than 15 minutes before the statement: the log was behind, or somebody inserted the row';
}

/** Verifies the line of an entry, and adds to its findings. @throws Error if it cannot be an entry */
export function verifyStatementEntry(
  { facts, proven, notProven, wrong, attempt }: FindingsCollector,
  line: StatementEntry,
  surroundings: Surroundings,
): void {
  const { header, checkpoint } = surroundings;
  const { uid, entryId, receivedAt, status } = line;
  const entryHash = entryHashOf(entryPreimage(entryOf({ ...line })));
  wrong.push(...checkPlace(line, surroundings), ...checkContent(line));
  if (status !== 'logged') {
    const problem = checkAbsence(line, header.generatedAt);
    if (problem) wrong.push(problem);
    else notProven.push('that the entry is in the log: it was received shortly before the statement was written');
  } else if (checkpoint && attempt(() => checkProof(line, entryHash, checkpoint))) {
    proven.push(`the entry is in the log of ${header.origin}, at index ${line.index}`);
  }
  Object.assign(facts, { uid, entryId, receivedAt });
}
