import { environmentReader } from '../environment.ts';

/** The environment variables of the indexer: its bucket, and the name of the stack, by which its metrics are told. */
export type IndexerEnvironment = Record<'ANALYTICS_BUCKET' | 'SERVICE_NAME', string>;

/** Reads and checks the environment. @throws Error that names every variable that is missing, all at once */
export function readIndexerConfig(environment: Readonly<Record<string, string | undefined>>) {
  const { text, requireAll } = environmentReader(environment);
  const config = {
    bucket: text('ANALYTICS_BUCKET', 'a bucket name'),
    serviceName: text('SERVICE_NAME', 'the name of the stack'),
  };
  requireAll();
  return config;
}
