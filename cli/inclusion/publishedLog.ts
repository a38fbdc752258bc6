import { type Policy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { type Tile, tilePath } from '../../functions/c2sp/tiles.ts';
import type { ReadTile } from '../../functions/c2sp/treeReader.ts';
import { headTable } from '../../functions/tlog/head.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT } from '../../functions/tlog/paths.ts';
import type { Head } from '../../functions/tlog/tlogTable.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { Failure } from '../terminal/failure.ts';
import { policyText } from './policyText.ts';

/** The transparency log of a target, up to its newest checkpoint. */
export interface PublishedLog extends Awaited<ReturnType<Target['openTlog']>> {
  /** The head in the Tlog table. It was read before the checkpoint. */
  readonly head: Head;
  /** The newest checkpoint with its signatures, verbatim. */
  readonly signed: string;
  readonly checkpoint: OpenedCheckpoint;
  /** The policy of the keys in the log and of the witnesses, as text and read. */
  readonly policyText: string;
  readonly policy: Policy;
  readonly readTile: ReadTile;
}

const tilesIn =
  (files: TlogFiles): ReadTile =>
  async (tile: Tile) => {
    const path = tilePath(tile);
    const bytes = await files.read(path);
    if (bytes) return bytes;
    throw new Failure('negative', `The transparency log has no ${path} in ${files.location}.`, {
      advice: 'A file of the log is missing. docs/runbook says what to do.',
    });
  };

/**
 * Opens the transparency log of a target, and checks the signature of its newest checkpoint.
 * @returns undefined if nothing was published yet
 * @throws Failure if the checkpoint was not signed with a key of the log
 */
export async function readPublishedLog(target: Target): Promise<PublishedLog | undefined> {
  const log = await target.openTlog();
  const head = await headTable(target.db, target.tables.tlog).get(readTimeout());
  const bytes = await log.files.read(CHECKPOINT);
  if (!head || (!bytes && head.size === 0)) return undefined;
  if (!bytes) {
    throw new Failure('negative', `The checkpoint of the transparency log is missing in ${log.files.location}.`, {
      advice: 'ailog tlog status says more.',
    });
  }
  const signed = Buffer.from(bytes).toString();
  try {
    const text = policyText({ keys: head.keys, witnesses: log.witnesses });
    const policy = parsePolicy(text);
    const checkpoint = openCheckpoint(signed, policy);
    if (checkpoint.origin !== log.origin) throw new Error(`It is of another log, ${checkpoint.origin}.`);
    return { ...log, head, signed, checkpoint, policyText: text, policy, readTile: tilesIn(log.files) };
  } catch (cause) {
    const message = `The checkpoint in ${log.files.location} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'ailog tlog status says more.' });
  }
}

/** As `readPublishedLog`. @throws Failure if nothing was published yet */
export async function requirePublishedLog(target: Target): Promise<PublishedLog> {
  const log = await readPublishedLog(target);
  if (log) return log;
  throw new Failure('unchecked', `There is no transparency log of ${target.name} yet.`, {
    advice: 'The first run of the sequencer makes it: npm start runs it every few seconds, a deployment every minute.',
  });
}
