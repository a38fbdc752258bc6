import { startEngine } from '../../cli/store/targets/embeddedEngine.ts';
import openRunFolder from './runFolder.ts';

/**
 * Starts an in-memory DynamoDB engine for the whole test run, unless DYNAMODB_ENDPOINT names one already. Gives the run
 * a temporary folder of its own, which is removed at the end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const removeFolder = openRunFolder();
  const engine = process.env.DYNAMODB_ENDPOINT ? undefined : await startEngine();
  if (engine) process.env.DYNAMODB_ENDPOINT = engine.endpoint;
  return async () => {
    await engine?.stop();
    removeFolder();
  };
}
