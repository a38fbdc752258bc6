import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Environment } from '../../functions/config.ts';
import { tableEnvironment } from '../../functions/tables.ts';
import { anyone, KEY_FILE, localTables } from './data.ts';

/** The function's own environment in the local run: the quotas are the defaults of a deployment. */
const functionEnvironment: Environment = {
  UID_QUOTA: '1000',
  IP_QUOTA: '1000',
  WINDOW_SECONDS: '10',
  REQUIRE_LOCALE: 'true',
  CREDENTIALS_KEY_FILE: KEY_FILE,
};

/** Whose credentials an endpoint gets: an engine takes any, and those of a real account are for that account only. */
async function identityFor(endpoint: URL) {
  if (!/\.(amazonaws\.com(\.cn)?|api\.aws)$/.test(endpoint.hostname)) return anyone;
  // The bundle looks for credentials in the environment alone, as Lambda gives them: found here, put there.
  const { config } = new DynamoDBClient();
  return { region: await config.region(), credentials: await config.credentials() };
}

/**
 * The environment in which the bundle works on a DynamoDB: the function's own variables and the SDK's.
 * @throws the SDK's error where the endpoint is an account's and there are no credentials
 */
export async function environmentFor(endpoint: string): Promise<Record<string, string>> {
  const { region, credentials } = await identityFor(new URL(endpoint));
  return {
    ...tableEnvironment(localTables),
    ...functionEnvironment,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...('sessionToken' in credentials && credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    POWERTOOLS_SERVICE_NAME: 'AiLogUpload-local',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
}
