import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { cosignedPath } from '../../functions/tlog/paths.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { Failure } from '../terminal/failure.ts';
import type { PublishedLog } from './publishedLog.ts';

/** Returns the smallest size above a leaf's index that the quorum of witnesses has cosigned; undefined: none. */
async function firstCosigned({ list }: TlogFiles, index: number): Promise<number | undefined> {
  const wanted = String(index + 1);
  // S3 sorts names as text, so only sizes with as many digits are in their order. Few share most of their digits.
  for (let kept = Math.max(0, wanted.length - 3); ; kept -= 1) {
    let first: number | undefined;
    for await (const { path } of list(`cosigned/${wanted.slice(0, kept)}`)) {
      const size = Number(path.slice('cosigned/'.length));
      if (size > index && size < (first ?? Number.POSITIVE_INFINITY)) first = size;
    }
    // A longer number may share the digits; a shorter prefix has all of this length.
    if (kept <= 0 || (first !== undefined && String(first).length === wanted.length)) return first;
  }
}

/**
 * Returns the log at the first checkpoint over a leaf that the quorum of witnesses has cosigned: it bears the times of
 * these cosignatures, which bound when the entry was logged. Without one, the newest checkpoint.
 */
export async function cosignedLog(log: PublishedLog, index: number): Promise<PublishedLog> {
  if (log.policy.quorum === 'none') return log;
  const size = await firstCosigned(log.files, index);
  const bytes = size === undefined ? undefined : await log.files.read(cosignedPath(size));
  if (!bytes) return log;
  const signed = Buffer.from(bytes).toString();
  let checkpoint: OpenedCheckpoint;
  try {
    checkpoint = openCheckpoint(signed, log.policy);
  } catch (cause) {
    const message = `${cosignedPath(size as number)} in ${log.files.location} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'ailog tlog audit says more.' });
  }
  return checkpoint.quorum && checkpoint.size === size ? { ...log, signed, checkpoint } : log;
}
