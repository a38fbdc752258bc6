import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readResponse } from '../target/attributeValues.ts';
import { BUSY, type PageWorkerData, type PartRequest, type ReadPart, STOP } from './pageTask.ts';

/** A part of a page. */
export interface ReadPagePart<Part> {
  readonly part: Part;
  /** True if no part of the page follows. */
  readonly isLast: boolean;
  /** The number of items that DynamoDB read for the page. */
  readonly scanned: number;
}

type Answer<Part> = { readonly page: number } & (ReadPagePart<Part> | { readonly error: unknown });

/** The total size of responses up to which no worker is started: to start one takes longer than to read them. */
const SMALL_BYTES = 2 * 1024 * 1024;

/** The longest time that the end of the process waits for a worker, in milliseconds. */
const PATIENCE_MS = 5000;

/** Most of what a worker allocates is garbage at once. Without a limit, it keeps over 100 MiB of it. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/**
 * The thread that sends and writes waits most of the time, so each core gets a worker. More workers wait for DynamoDB.
 */
const WORKERS = Math.min(4, availableParallelism());

/**
 * Opens threads that read pages with a task. The first pages are read in this thread, so that a small table needs no
 * worker.
 * @param task the URL of the module that exports `readPart`
 * @param options are passed to the task; they must be cloneable
 */
export async function openPageWorkers<Options, Part>(task: string, options: Options) {
  const { readPart } = (await import(task)) as { readPart: ReadPart<Options, Part> };
  const waiting = new Map<number, PromiseWithResolvers<ReadPagePart<Part>>>();
  const workers: { readonly thread: Worker; readonly state: PageWorkerData['state']; pages: number }[] = [];
  let received = 0;
  let pages = 0;
  let failure: unknown;

  const fail = (error: unknown) => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  // Node 24 aborts the process if a thread ends within a synchronous decompression, which `process.exit` would cause.
  const stopAll = () => {
    for (const { state } of workers) Atomics.store(state, STOP, 1);
    for (const { state } of workers) Atomics.wait(state, BUSY, 1, PATIENCE_MS);
  };
  const startWorker = () => {
    if (workers.length === 0) process.once('exit', stopAll);
    const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const workerData: PageWorkerData = { task, options, state };
    const thread = new Worker(new URL('./pageWorker.ts', import.meta.url), { workerData, resourceLimits: LIMITS });
    thread.on('message', ({ page, ...answer }: Answer<Part>) => {
      const wanted = waiting.get(page);
      waiting.delete(page);
      if ('error' in answer) wanted?.reject(answer.error);
      else wanted?.resolve(answer);
    });
    thread.on('error', fail);
    thread.once('exit', () => fail(new Error('A worker thread has ended')));
    const worker = { thread, state, pages: 0 };
    workers.push(worker);
    return worker;
  };
  /** Returns the worker with the fewest pages; a new one while there may be more and all are busy. */
  const idlest = () => {
    const [least] = workers.toSorted((a, b) => a.pages - b.pages);
    return least && (least.pages === 0 || workers.length >= WORKERS) ? least : startWorker();
  };
  const ask = (thread: Worker, request: PartRequest, transfer: ArrayBuffer[]): Promise<ReadPagePart<Part>> => {
    const wanted = Promise.withResolvers<ReadPagePart<Part>>();
    // The reader may have stopped before it takes the answer.
    wanted.promise.catch(() => {});
    if (failure !== undefined) wanted.reject(failure);
    else {
      waiting.set(request.page, wanted);
      thread.postMessage(request, transfer);
    }
    return wanted.promise;
  };

  async function* readHere(response: Uint8Array): AsyncGenerator<ReadPagePart<Part>> {
    const { entries, scanned } = readResponse(response);
    for (let from = 0, isLast = false; !isLast; ) {
      const { part, next } = readPart(entries, from, options);
      isLast = next >= entries.length;
      from = next;
      yield { part, isLast, scanned };
    }
  }

  async function* readThere(
    worker: (typeof workers)[number],
    page: number,
    first: Promise<ReadPagePart<Part>>,
  ): AsyncGenerator<ReadPagePart<Part>> {
    for (let answer = await first; ; answer = await ask(worker.thread, { page }, [])) {
      if (answer.isLast) worker.pages -= 1;
      yield answer;
      if (answer.isLast) return;
    }
  }

  return {
    /** Starts to read a page. Its parts come in order; each is made when the one before has been taken. */
    read(response: Uint8Array<ArrayBuffer>): AsyncGenerator<ReadPagePart<Part>> {
      received += response.length;
      if (received <= SMALL_BYTES) return readHere(response);
      const [worker, page] = [idlest(), pages++];
      worker.pages += 1;
      return readThere(worker, page, ask(worker.thread, { page, response }, [response.buffer]));
    },
    /** Ends the threads, each when it has finished its part. Pages that were not read are dropped. */
    close(): void {
      fail(new Error('The reader was closed'));
      const ended = workers.map(({ thread, state }) => {
        Atomics.store(state, STOP, 1);
        thread.postMessage('close');
        return once(thread, 'exit');
      });
      void Promise.allSettled(ended).then(() => process.off('exit', stopAll));
    },
  };
}
