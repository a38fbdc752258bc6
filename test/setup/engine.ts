import type { TestProject } from 'vitest/node';
import { startEngine } from '../../infra/local/engine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the DynamoDB engine of this run listens. */
    endpoint: string;
  }
}

/** One engine for the whole run, in memory, or the one that DYNAMODB_ENDPOINT names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { DYNAMODB_ENDPOINT: given } = process.env;
  const engine = given ? { endpoint: given, stop: async () => {} } : await startEngine();
  project.provide('endpoint', engine.endpoint);
  return engine.stop;
}
