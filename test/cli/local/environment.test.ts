import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { environmentFor } from '../../../cli/local/environment.ts';
import { readLocalRun } from '../../../cli/local/localSettings.ts';
import { readConfig } from '../../../functions/upload/config.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

afterEach(() => vi.unstubAllEnvs());

/** Sets up a profile of an account without credentials in the environment. */
function stubProfile(): void {
  const file = join(temporaryFolder(), 'credentials');
  writeFileSync(file, '[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = example\n');
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
}

test('an engine gets dummy credentials, never those of an account', async () => {
  stubProfile();
  const environment = await environmentFor('http://127.0.0.1:8000', readLocalRun([], {}).environment);
  expect(environment).toMatchObject({ AWS_ACCESS_KEY_ID: 'local', AWS_REGION: 'local' });
  expect(() => readConfig(environment)).not.toThrow();
});

test.each([
  'https://dynamodb.eu-west-1.amazonaws.com',
  'https://dynamodb.cn-north-1.amazonaws.com.cn',
  'https://dynamodb.eu-west-1.api.aws',
])('%s gets the credentials of the account that the SDK finds', async (endpoint) => {
  stubProfile();
  expect(await environmentFor(endpoint, {})).toMatchObject({
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  });
});
