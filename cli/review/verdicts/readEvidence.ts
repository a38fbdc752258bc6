import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { verify } from '../../proof/evidence/verify.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';

/** It names no key: what holds without one is checked. */
const NO_KEYS = parsePolicy('quorum none');

/**
 * Reads a statement, which may have entries of other teams, too, to attach it to a verdict by its digest.
 * @returns its name and digest, and the period from the team's first entry to just after its last
 * @throws Failure if it is no complete statement about this team
 */
export async function readEvidence(path: string, uid: string) {
  const notOne = (why: string) =>
    new Failure('usage', `${path} is no complete statement about UID ${uid}: ${why}.`, {
      advice: `Write one: ailog statement --uid ${uid} -o FILE`,
    });
  const whole = createHash('sha256');
  const chunks = async function* () {
    for await (const chunk of createReadStream(path, { fd: openRegularFile(path) })) {
      whole.update(chunk);
      yield chunk;
    }
  };
  let [first, last]: (string | undefined)[] = [];
  let ended = false;
  for await (const { line, about, facts, wrong } of verify(chunks(), { policy: NO_KEYS })) {
    const cutOff = about === 'line' ? 'it is cut off' : undefined;
    const problem = ended ? 'it comes after the end' : (wrong[0] ?? cutOff);
    if (problem !== undefined) throw notOne(`line ${line}: ${problem}`);
    if (facts.uid === uid) {
      first ??= facts.entryId;
      last = facts.entryId ?? last;
    }
    ended = about === 'end';
  }
  if (!ended) throw notOne('its end is missing');
  if (first === undefined || last === undefined) throw notOne('it has no entry of this team');
  const signedAt = (entryId: string, after = 0) => new Date(Number(entryId.slice(0, 13)) + after).toISOString();
  return {
    evidence: { file: basename(path), sha256: whole.digest('hex') },
    period: { from: signedAt(first), until: signedAt(last, 1) },
  };
}
