import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import pLimit from 'p-limit';
import type { UploadEvent } from '../../functions/upload/request.ts';

/** Requests that the function handles at once: more would wait for the engine, beyond the timeouts of their calls. */
const CONCURRENCY = 24;

/** The longest time that `idle` waits for requests in flight: the function ends each of them earlier. */
const PATIENCE_MS = 5000;

/** A result of the function, and the UID that the access key belongs to, if it exists. */
export interface Invoked {
  readonly result: APIGatewayProxyResult;
  readonly uid: string | undefined;
}

/** The function as the local server calls it. */
export type LocalFunction = Awaited<ReturnType<typeof openFunction>>;

/** Loads the function from a bundle, which reads its environment from `process.env`. */
export async function openFunction(bundle: string) {
  const { handler }: { handler: (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult> } =
    await import(pathToFileURL(bundle).href);
  const limit = pLimit(CONCURRENCY);
  return {
    /** Calls the function. Requests wait for their turn in the order in which they arrived. */
    invoke: (event: APIGatewayProxyEvent & Partial<Pick<UploadEvent, 'apiKey'>>): Promise<Invoked> =>
      limit(async () => {
        const result = await handler(event, {});
        // The pipeline has added the key that it read to the event.
        return { result, uid: event.apiKey?.uid };
      }),
    /** Resolves when no request is in flight. Node 24 aborts if the process exits while a thread compresses. */
    idle: async () => {
      const end = performance.now() + PATIENCE_MS;
      while (limit.activeCount > 0 && performance.now() < end) await sleep(10);
    },
  };
}
