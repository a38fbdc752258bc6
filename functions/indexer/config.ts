/** The environment variables of the indexer: its bucket, and the name of the stack, by which its metrics are told. */
export type IndexerEnvironment = Record<'ANALYTICS_BUCKET' | 'SERVICE_NAME', string>;

/** Reads and checks the environment. @throws Error that names every variable that is missing, all at once */
export function readIndexerConfig(environment: Readonly<Record<string, string | undefined>>) {
  const { ANALYTICS_BUCKET: bucket, SERVICE_NAME: serviceName } = environment;
  if (bucket && serviceName) return { bucket, serviceName };
  const missing = ['ANALYTICS_BUCKET', 'SERVICE_NAME'].filter((name) => !environment[name]);
  throw new Error(`Environment variables missing: ${missing.join(', ')}`);
}
