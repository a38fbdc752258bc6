import type { Policy } from '../../../functions/c2sp/policy.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, checkpointPath } from '../../../functions/tlog/paths.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import type { Report } from './findings.ts';

/** Opens a checkpoint, and reports what is wrong with it. */
export function openOrReport(
  path: string,
  signed: Uint8Array | undefined,
  policy: Policy,
  report: Report,
): OpenedCheckpoint | undefined {
  try {
    if (signed) return openCheckpoint(Buffer.from(signed).toString(), policy);
    report({ kind: 'checkpoint', path, problem: `${path} is missing.` });
  } catch (error) {
    report({ kind: 'checkpoint', path, problem: `${path} cannot be trusted: ${(error as Error).message}` });
  }
  return undefined;
}

/**
 * Reads the newest checkpoint, after the files were listed. The last step of a sequencer is to publish it, so the list
 * may have a larger one that is used.
 * @param largest the size of the largest checkpoint in the list, and whether a sequencer may be about to publish it
 */
export async function readNewest(
  { read }: TlogFiles,
  { policy, largest, report }: { policy: Policy; largest: { size: number; isFresh: boolean }; report: Report },
): Promise<OpenedCheckpoint | undefined> {
  const opened = openOrReport(CHECKPOINT, await read(CHECKPOINT), policy, report);
  if (opened && opened.size >= largest.size) {
    const problem = `${CHECKPOINT} of size ${opened.size} misses the quorum of witnesses that the policy requires.`;
    if (!opened.quorum) report({ kind: 'checkpoint', path: CHECKPOINT, problem });
    return opened;
  }
  const path = checkpointPath(largest.size);
  if (opened && !largest.isFresh) {
    const problem = `${CHECKPOINT} has the size ${opened.size}, and there is ${path}: an older one was put back, or the copy was made while the log grew.`;
    report({ kind: 'checkpoint', path: CHECKPOINT, problem });
  }
  const kept = await read(path);
  return (kept && openOrReport(path, kept, policy, report)) ?? opened;
}
