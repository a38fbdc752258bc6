/** A worker thread: reads pages of entries with the task of its command. pageWorkers.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Entry } from '../../functions/ailog/entry.ts';
import { readResponse } from '../target/attributeValues.ts';
import { BUSY, type PageWorkerData, type PartRequest, type ReadPart, STOP } from './pageTask.ts';

const { task, options, state } = workerData as PageWorkerData;
const { readPart } = (await import(task)) as { readPart: ReadPart<unknown, unknown> };
const pages = new Map<number, { readonly entries: readonly Entry[]; readonly scanned: number; from: number }>();

function answer({ page, response }: PartRequest): void {
  try {
    const open = response ? { ...readResponse(response), from: 0 } : pages.get(page);
    if (!open) throw new Error(`There is no page ${page}`);
    const { part, next, transfer = [] } = readPart(open.entries, open.from, options);
    const isLast = next >= open.entries.length;
    open.from = next;
    if (isLast) pages.delete(page);
    else pages.set(page, open);
    parentPort?.postMessage({ page, part, isLast, scanned: open.scanned }, [...transfer]);
  } catch (error) {
    pages.delete(page);
    parentPort?.postMessage({ page, error });
  }
}

parentPort?.on('message', (request: PartRequest | 'close') => {
  if (request === 'close') return parentPort?.close();
  Atomics.store(state, BUSY, 1);
  if (Atomics.load(state, STOP) === 0) answer(request);
  Atomics.store(state, BUSY, 0);
  Atomics.notify(state, BUSY);
});
