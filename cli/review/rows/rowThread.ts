/** A thread that makes rows. collectRows.ts starts it and sends it entries, or nothing to take what was collected. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { openBodyReader } from './bodyReader.ts';
import { collectRows } from './collectRows.ts';

const collected = collectRows(workerData, await openBodyReader());
parentPort?.on('message', (entries: readonly Entry[] | undefined) => {
  parentPort?.postMessage(entries ? collected.add(entries) : collected.take());
});
