/** The environment variables of the indexer. */
export type IndexerEnvironment = Record<'ANALYTICS_BUCKET' | 'SERVICE_NAME', string>;

/** The configuration of the indexer. */
interface IndexerConfig {
  readonly bucket: string;
  /** The name of the stack, by which its metrics are told from those of others. */
  readonly serviceName: string;
}

/** Reads and checks the environment. @throws Error that names every variable that is missing, all at once */
export function readIndexerConfig(environment: Readonly<Record<string, string | undefined>>): IndexerConfig {
  const { ANALYTICS_BUCKET: bucket, SERVICE_NAME: serviceName } = environment;
  if (bucket && serviceName) return { bucket, serviceName };
  const missing = [...(bucket ? [] : ['ANALYTICS_BUCKET']), ...(serviceName ? [] : ['SERVICE_NAME'])];
  throw new Error(`Environment variables missing: ${missing.join(', ')}`);
}
