import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableEnvironment } from '../../functions/tables.ts';
import { LOCAL_ORIGIN, localIdentity, localPaths, localTables } from '../store/targets/data.ts';

/** Returns region and credentials for an endpoint. Real credentials are only sent to AWS; an engine gets dummy ones. */
async function identityFor(endpoint: URL) {
  if (!/\.(amazonaws\.com(\.cn)?|api\.aws)$/.test(endpoint.hostname)) return localIdentity;
  // The bundle reads credentials only from the environment, as in Lambda. So they are resolved here.
  const { config } = new DynamoDBClient();
  return { region: await config.region(), credentials: await config.credentials() };
}

/** Returns the environment of the bundle for a DynamoDB endpoint. @throws the SDK's error if AWS needs credentials */
export async function environmentFor(
  endpoint: string,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { region, credentials } = await identityFor(new URL(endpoint));
  return {
    ...tableEnvironment(localTables),
    ...settings,
    CREDENTIALS_KEY_FILE: localPaths.key,
    TLOG_ORIGIN: LOCAL_ORIGIN,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...('sessionToken' in credentials && credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    SERVICE_NAME: 'AiLogUpload-local',
  };
}
