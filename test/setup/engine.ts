import { startEngine } from '../../cli/local/engine.ts';

/** Starts an in-memory DynamoDB engine for the whole test run, unless DYNAMODB_ENDPOINT names one already. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.DYNAMODB_ENDPOINT) return async () => {};
  const engine = await startEngine();
  process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  return engine.stop;
}
