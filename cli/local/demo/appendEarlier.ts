import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BATCH_LEAVES } from '../../../functions/sequencer/appendArrivals.ts';
import { Sequencer, type SequencerOptions, Superseded } from '../../../functions/sequencer/sequence.ts';
import { readEntryHashes } from '../../../functions/sequencer/storage.ts';
import { parseArrival } from '../../../functions/tlog/arrival.ts';
import { scan } from '../../store/targets/openedTarget.ts';

/** Appends the missing entries from before the cursor, in the order in which they were received. */
async function appendOnce(db: DynamoDBDocumentClient, tableName: string, options: SequencerOptions): Promise<number> {
  const sequencer = await Sequencer.open(options, new AbortController().signal);
  const { size, cursor } = sequencer.head;
  const logged = await readEntryHashes(options.storage, { from: 0, until: size, size }, sequencer.abortSignal);
  const missing: NonNullable<ReturnType<typeof parseArrival>>[] = [];
  const arrivals = scan<{ arrival: Uint8Array }>(db, { TableName: tableName, ProjectionExpression: 'arrival' });
  for await (const { arrival } of arrivals) {
    const found = parseArrival(arrival);
    if (found && found.receivedAt < cursor && !logged.has(found.entryHash.toString('latin1'))) missing.push(found);
  }
  missing.sort((one, other) => one.receivedAt - other.receivedAt);
  for (let start = 0; start < missing.length; start += BATCH_LEAVES) {
    await sequencer.append(missing.slice(start, start + BATCH_LEAVES).map(({ entryHash }) => entryHash));
  }
  return sequencer.head.size;
}

/**
 * Adds the demo's entries to the transparency log. They were received, as they say, before the log existed, and the
 * sequencer only looks for new ones. `npm start` may run meanwhile: then it is tried again.
 * @returns the number of leaves
 */
export const appendEarlier = (...log: Parameters<typeof appendOnce>): Promise<number> =>
  appendOnce(...log).catch((error) => {
    if (error instanceof Superseded) return appendEarlier(...log);
    throw error;
  });
