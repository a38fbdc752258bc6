import { startEngine } from '../../cli/local/engine.ts';

/** One DynamoDB engine for the whole run, in memory, where DYNAMODB_ENDPOINT does not name one already. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.DYNAMODB_ENDPOINT) return async () => {};
  const engine = await startEngine();
  process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  return engine.stop;
}
