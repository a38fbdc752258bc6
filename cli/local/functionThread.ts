/** A thread that runs the function for the local server. openFunction.ts starts it and sends it the events. */
import { parentPort, workerData } from 'node:worker_threads';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { loadFunction, type ThreadAnswer } from './openFunction.ts';

const invoke = await loadFunction(workerData);
parentPort?.on('message', ({ call, event }: { call: number; event: APIGatewayProxyEvent }) => {
  const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);
  invoke(event).then(
    (invoked) => answer({ call, invoked }),
    (error) => answer({ call, error }),
  );
});
parentPort?.postMessage('loaded');
