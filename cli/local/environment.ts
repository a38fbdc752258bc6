import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableEnvironment } from '../../functions/tables.ts';
import { KEY_FILE, LOCAL_ORIGIN, localIdentity, localTables } from '../target/data.ts';

/** Returns region and credentials for an endpoint. Real credentials are only sent to AWS; an engine gets dummy ones. */
async function identityFor(endpoint: URL) {
  if (!/\.(amazonaws\.com(\.cn)?|api\.aws)$/.test(endpoint.hostname)) return localIdentity;
  // The bundle reads credentials only from the environment, as in Lambda. So they are resolved here.
  const { config } = new DynamoDBClient();
  return { region: await config.region(), credentials: await config.credentials() };
}

/**
 * Returns the environment for running the bundle against a DynamoDB endpoint: the function's variables and the SDK's.
 * @param settings the function's variables for the settings, see `readLocalRun`
 * @throws the SDK's error if the endpoint belongs to AWS and there are no credentials
 */
export async function environmentFor(
  endpoint: string,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { region, credentials } = await identityFor(new URL(endpoint));
  return {
    ...tableEnvironment(localTables),
    ...settings,
    CREDENTIALS_KEY_FILE: KEY_FILE,
    TLOG_ORIGIN: LOCAL_ORIGIN,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...('sessionToken' in credentials && credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    SERVICE_NAME: 'AiLogUpload-local',
  };
}
