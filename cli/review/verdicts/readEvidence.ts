import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { isEnd, parseEnd, parseEntry, parseHeader, type StatementHeader } from '../../proof/evidence/statement.ts';
import { linesOf, openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';

/** Returns the period of a statement: its limits, or else from its first entry to just after its last. */
function periodOf({ since, until }: StatementHeader, first: string, last: string) {
  const signedAt = (line: string, after = 0) => new Date(Number(parseEntry(line).timestamp) + after).toISOString();
  return { from: since ?? signedAt(first), until: until ?? signedAt(last, 1) };
}

/**
 * Reads a statement, to attach it to a verdict by its digest.
 * @throws Failure if it is no complete statement about this team
 */
export async function readEvidence(path: string, uid: string) {
  const notOne = (why: string, cause?: unknown) =>
    new Failure('usage', `${path} is no complete statement about UID ${uid}: ${why}.`, {
      cause,
      advice: `Write one: ailog statement --uid ${uid} -o FILE`,
    });
  const attempt = <Result>(step: () => Result): Result => {
    try {
      return step();
    } catch (cause) {
      throw notOne((cause as Error).message, cause);
    }
  };
  let header: StatementHeader | undefined;
  let first: string | undefined;
  let last = '';
  let ended = false;
  const before = createHash('sha256');
  for await (const line of linesOf(path)) {
    if (!header) {
      header = attempt(() => parseHeader(line));
    } else if (isEnd(line)) {
      ended = attempt(() => parseEnd(line)).sha256 === before.copy().digest('hex');
    } else {
      ended = false;
      first ??= line;
      last = line;
    }
    before.update(`${line}\n`);
  }
  if (!header || !ended) throw notOne('its end is missing, or it was changed');
  if (header.uid !== uid) throw notOne(`it is about UID ${header.uid}`);
  if (first === undefined) throw notOne('it has no entries');
  const period = attempt(() => periodOf(header, first, last));
  const whole = createHash('sha256');
  for await (const chunk of createReadStream(path, { fd: openRegularFile(path) })) whole.update(chunk);
  return { evidence: { file: basename(path), sha256: whole.digest('hex') }, period };
}
