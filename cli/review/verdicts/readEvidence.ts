import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { HashedAttributes } from '../../../functions/tlog/entryHash.ts';
import { readEntry } from '../../proof/evidence/judge.ts';
import { linesIn, readLine, textIn } from '../../proof/evidence/lines.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';

/**
 * Reads a statement, to attach it to a verdict by its digest.
 * @returns its name and digest, and the period from its first entry to just after its last
 * @throws Failure if it is no complete statement about this team
 */
export async function readEvidence(path: string, uid: string) {
  const notOne = (why: string, cause?: unknown) =>
    new Failure('usage', `${path} is no complete statement about UID ${uid}: ${why}.`, {
      cause,
      advice: `Write one: ailog statement --uid ${uid} -o FILE`,
    });
  let [first, last]: (HashedAttributes | undefined)[] = [];
  let count = 0;
  let ended = false;
  const whole = createHash('sha256');
  const chunks = async function* () {
    for await (const chunk of createReadStream(path, { fd: openRegularFile(path) })) {
      whole.update(chunk);
      yield chunk;
    }
  };
  for await (const raw of linesIn(chunks())) {
    try {
      const line = readLine(raw);
      if (line === 'blank') continue;
      if (line === 'cut off') throw new Error('it is cut off');
      if (ended) throw new Error('it comes after the end');
      ended = line.end !== undefined;
      if (ended && line.end !== count) throw new Error(`it counts ${line.end} entries, and there are ${count}`);
      const text = textIn(line, 'entry');
      if (text === undefined) continue;
      last = readEntry(text);
      first ??= last;
      count += 1;
      const body = textIn(line, 'body');
      if (body !== undefined && hash('sha256', body) !== last.bodySha256) throw new Error('its body is another one');
    } catch (cause) {
      throw notOne(`line ${raw.number}: ${(cause as Error).message.replace(/\.$/, '')}`, cause);
    }
    if (last.uid !== uid) throw notOne(`it has an entry of UID ${last.uid}`);
  }
  if (!ended) throw notOne('its end is missing');
  if (!first || !last) throw notOne('it has no entries');
  const signedAt = ({ timestamp }: HashedAttributes, after = 0) => new Date(Number(timestamp) + after).toISOString();
  return {
    evidence: { file: basename(path), sha256: whole.digest('hex') },
    period: { from: signedAt(first), until: signedAt(last, 1) },
  };
}
