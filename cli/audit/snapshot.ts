import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, checkpointPath } from '../../functions/tlog/paths.ts';
import type { Target } from '../target/target.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import type { Finding } from './findings.ts';
import { parsePath } from './logPath.ts';

/** The time that a sequencer takes between the last two writes of a run, in milliseconds: its witnesses may be slow. */
const PUBLISHING_MS = 8000;

/** The time between two looks at it, in milliseconds. */
const LOOK_AGAIN_MS = 500;

/** An item of the Tlog table as it is; an admin may have written anything. */
export type LogItemAsStored = Readonly<Record<string, unknown>>;

/** Reads the items of the Tlog table. */
export async function readLogItems({ db, tables }: Target) {
  const get = async (id: string): Promise<LogItemAsStored | undefined> =>
    (await db.send(new GetCommand({ TableName: tables.tlog, Key: { id }, ConsistentRead: true }))).Item;
  return { head: await get('head'), receiptKeys: await get('receipt-keys') };
}

/** Returns the size of the largest checkpoint in a list of paths; 0 if there is none. */
export function largestOf(paths: Iterable<string>): number {
  let largest = 0;
  for (const path of paths) {
    const file = parsePath(path);
    if (file?.is === 'checkpoint' && file.size > largest) largest = file.size;
  }
  return largest;
}

/** Returns the root that a checkpoint names; undefined if it is not a checkpoint. */
export function rootIn(signed: Uint8Array | undefined): Uint8Array | undefined {
  try {
    return signed && parseCheckpoint(parseNote(Buffer.from(signed).toString()).text).root;
  } catch {
    return undefined;
  }
}

/** Opens a checkpoint, and says what is wrong with it. */
export function openOrReport(
  path: string,
  signed: Uint8Array | undefined,
  policy: Policy,
  report: (finding: Finding) => void,
): OpenedCheckpoint | undefined {
  const wrong = (problem: string) => void report({ kind: 'checkpoint', path, problem });
  if (!signed) return wrong(`${path} is missing.`) as undefined;
  try {
    return openCheckpoint(Buffer.from(signed).toString(), policy);
  } catch (error) {
    return wrong(`${path} cannot be trusted: ${(error as Error).message}`) as undefined;
  }
}

/**
 * Reads the newest checkpoint, after the files were listed. If the list has a larger one, waits until the sequencer has
 * published it; the larger one is used if it stays.
 * @param wait whether a sequencer may be at work
 */
export async function readNewest(
  { read }: TlogFiles,
  {
    policy,
    largest,
    wait,
    report,
  }: {
    readonly policy: Policy;
    readonly largest: number;
    readonly wait: boolean;
    readonly report: (finding: Finding) => void;
  },
): Promise<{ readonly signed: string; readonly opened: OpenedCheckpoint } | undefined> {
  const until = Date.now() + (wait ? PUBLISHING_MS : 0);
  for (;;) {
    const found: Finding[] = [];
    const bytes = await read(CHECKPOINT);
    const opened = openOrReport(CHECKPOINT, bytes, policy, (finding) => found.push(finding));
    if (opened && opened.size >= largest) {
      const { size, quorum } = opened;
      if (!quorum)
        report({
          kind: 'checkpoint',
          path: CHECKPOINT,
          problem: `${CHECKPOINT} of size ${size} misses the quorum of witnesses that the policy requires.`,
        });
      return { signed: Buffer.from(bytes as Uint8Array).toString(), opened };
    }
    if (Date.now() < until) {
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    for (const finding of found) report(finding);
    if (opened) {
      const problem = `${CHECKPOINT} has the size ${opened.size}, and there is ${checkpointPath(largest)}: an older one was put back, or the copy was made while the log grew.`;
      report({ kind: 'checkpoint', path: CHECKPOINT, problem });
    }
    const path = checkpointPath(largest);
    const kept = largest > 0 ? await read(path) : undefined;
    const larger = kept && openOrReport(path, kept, policy, report);
    if (larger) return { signed: Buffer.from(kept as Uint8Array).toString(), opened: larger };
    return opened && { signed: Buffer.from(bytes as Uint8Array).toString(), opened };
  }
}
