import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import pLimit from 'p-limit';
import type { UploadEvent } from '../../functions/upload/request.ts';

/** Requests that all threads handle at once: more would wait for the engine, beyond the timeouts of their calls. */
const CONCURRENCY = 24;

/** One core is for the engine. On two cores, the function runs in this thread, which starts faster. */
const THREADS = Math.max(1, availableParallelism() - 1);

/** The longest time that `idle` waits for requests in flight: the function ends each of them earlier. */
const PATIENCE_MS = 5000;

/** A result of the function, and the UID that the access key belongs to, if it exists. */
export interface Invoked {
  readonly result: APIGatewayProxyResult;
  readonly uid: string | undefined;
}

type Invoke = (event: APIGatewayProxyEvent) => Promise<Invoked>;

/** The answer of a thread to a call. */
export type ThreadAnswer = { readonly call: number } & ({ readonly invoked: Invoked } | { readonly error: unknown });

/** Loads a bundle into this thread. It reads its environment from `process.env`. */
export async function loadFunction(bundle: string): Promise<Invoke> {
  const { handler }: { handler: (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult> } =
    await import(pathToFileURL(bundle).href);
  return async (event: APIGatewayProxyEvent & Partial<Pick<UploadEvent, 'apiKey'>>) => {
    const result = await handler(event, {});
    // The pipeline has added the key that it read to the event.
    return { result, uid: event.apiKey?.uid };
  };
}

/** Starts a thread that runs a bundle. It fails like this thread would: an uncaught error ends the process. */
async function startThread(bundle: string): Promise<Invoke> {
  const thread = new Worker(new URL('./functionThread.ts', import.meta.url), { workerData: bundle });
  await once(thread, 'message');
  thread.on('error', (error) => {
    throw error;
  });
  const waiting = new Map<number, PromiseWithResolvers<Invoked>>();
  let calls = 0;
  thread.on('message', ({ call, ...answer }: ThreadAnswer) => {
    const wanted = waiting.get(call);
    waiting.delete(call);
    if ('error' in answer) wanted?.reject(answer.error);
    else wanted?.resolve(answer.invoked);
  });
  return (event) => {
    const wanted = Promise.withResolvers<Invoked>();
    waiting.set(++calls, wanted);
    thread.postMessage({ call: calls, event });
    return wanted.promise;
  };
}

/** The function as the local server calls it. */
export type LocalFunction = Awaited<ReturnType<typeof openFunction>>;

/**
 * Opens the function with as many threads as may run. One thread is this one. With more, each request goes to the one
 * with the fewest, and this thread only reads and writes HTTP.
 * @throws the error with which the bundle fails to load
 */
export async function openFunction(bundle: string, count = THREADS) {
  const start = count > 1 ? startThread : loadFunction;
  const invokes = await Promise.all(Array.from({ length: Math.max(1, count) }, () => start(bundle)));
  // The limits of the threads only count what is in flight in each.
  const threads = invokes.map((invoke) => ({ invoke, inFlight: pLimit(Number.POSITIVE_INFINITY) }));
  const limit = pLimit(CONCURRENCY);
  const invokeIdlest = (event: APIGatewayProxyEvent) => {
    const { invoke, inFlight } = threads.reduce((a, b) => (b.inFlight.activeCount < a.inFlight.activeCount ? b : a));
    return inFlight(invoke, event);
  };
  return {
    /** Calls the function. Requests wait for their turn in the order in which they arrived. */
    invoke: (event: APIGatewayProxyEvent) => limit(invokeIdlest, event),
    /** Resolves when no request is in flight. Node 24 aborts if the process exits while a thread compresses. */
    idle: async () => {
      const end = performance.now() + PATIENCE_MS;
      while (limit.activeCount > 0 && performance.now() < end) await sleep(10);
    },
  };
}
