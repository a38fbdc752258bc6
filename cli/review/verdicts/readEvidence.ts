import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { isEnd, parseEnd, parseHeader } from '../../proof/evidence/parseStatement.ts';
import type { StatementHeader } from '../../proof/evidence/statement.ts';
import { linesOf, openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';

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
  let header: StatementHeader | undefined;
  let ended = false;
  const before = createHash('sha256');
  for await (const line of linesOf(path)) {
    try {
      header ??= parseHeader(line);
      ended = isEnd(line) && parseEnd(line).sha256 === before.copy().digest('hex');
    } catch (cause) {
      throw notOne((cause as Error).message, cause);
    }
    before.update(`${line}\n`);
  }
  if (header === undefined || !ended) throw notOne('its end is missing, or it was changed');
  if (header.uid !== uid) throw notOne(`it is about UID ${header.uid}`);
  const whole = createHash('sha256');
  for await (const chunk of createReadStream(path, { fd: openRegularFile(path) })) whole.update(chunk);
  return { evidence: { file: basename(path), sha256: whole.digest('hex') }, period: header.figures.period };
}
