import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { environmentFor, readLocalRun, USAGE } from '../../../cli/local/localSettings.ts';
import { readConfig } from '../../../functions/upload/config.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

const defaults = {
  UID_QUOTA: '1000',
  IP_QUOTA: '1000',
  WINDOW_SECONDS: '10',
  REQUIRE_LOCALE: 'true',
  CHECKPOINT_KEYS: '1',
  RECEIPT_KEY: '1',
};

test.each([
  ['the defaults of a deployment', [], {}, {}],
  ['options', ['--uid-quota=2', '--require-locale', 'false'], {}, { UID_QUOTA: '2', REQUIRE_LOCALE: 'false' }],
  ['variables', [], { IP_QUOTA: '3', ENTRY_RETENTION_DAYS: '30' }, { IP_QUOTA: '3', ENTRY_RETENTION_DAYS: '30' }],
  ['an option over its variable', ['--window-seconds=20'], { WINDOW_SECONDS: '5' }, { WINDOW_SECONDS: '20' }],
] as const)('the local run takes %s', (_name, args, env, expected) => {
  expect(readLocalRun(args, env)).toEqual({ json: false, environment: { ...defaults, ...expected } });
});

test('--json selects the raw log', () => {
  expect(readLocalRun(['--json'], {}).json).toBe(true);
});

// biome-ignore format: one case a line
test.each([
  [['--uid-quota=none'], {}, ['--uid-quota is "none": it must be an integer from 1 to 5000.']],
  [['--uid-quota'], {}, ['--uid-quota has no value: it must be an integer from 1 to 5000.']],
  [['--require-locale'], {}, ['--require-locale has no value: it must be true or false.']],
  [['--no-require-locale'], {}, [expect.stringMatching(/^Unknown option --no-require-locale: the options are --uid-quota, /)]],
  [['--uid-quota=1', '--uid-quota=2'], {}, ['Option --uid-quota is given twice.']],
  [['--json=yes'], {}, ['Option --json takes no value.']],
  [['false'], {}, ['Unknown argument "false": options start with --.']],
  [['--waf=true'], {}, ['Unknown option --waf: the options are --uid-quota, --ip-quota, --window-seconds, --require-locale, --entry-retention-days, --checkpoint-keys, --receipt-key, --witnesses, --json.']],
  [['--checkpoint-keys=1,1'], {}, [expect.stringMatching(/^--checkpoint-keys is "1,1": it must be one key, or two /)]],
  [['--checkpoint-keys=arn:aws:kms:eu-west-1:123456789012:key/a'], {}, ['--checkpoint-keys is "arn:aws:kms:eu-west-1:123456789012:key/a": it must be one key, or two with a comma between them. A key is a number from 1 to 20.']],
  [['--witnesses=package.json'], {}, [expect.stringMatching(/^--witnesses is "package.json": Line 1 of the policy: /)]],
  [['--witnesses=missing'], {}, [expect.stringMatching(/^--witnesses is "missing": it must be the path of a C2SP tlog-policy file /)]],
  [['--ip-quota=0'], { WINDOW_SECONDS: '21', REQUIRE_LOCALE: '' }, ['--ip-quota is "0": it must be an integer from 1 to 5000.', 'WINDOW_SECONDS is "21": it must be an integer from 1 to 20.', 'REQUIRE_LOCALE is "": it must be true or false.']],
])('%j %j: the error says what is allowed', (args, env, sentences) => {
  let message = '';
  try {
    readLocalRun(args, env);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message.split('\n')).toEqual(sentences);
});

test('the usage lists every option with its values, and every variable', () => {
  for (const text of [
    '--uid-quota=VALUE',
    '--entry-retention-days=VALUE',
    'true or false',
    '--json',
    ...Object.keys(defaults),
  ]) {
    expect(USAGE).toContain(text);
  }
  expect(USAGE).toMatch(/^ {2}--checkpoint-keys=VALUE .* A key is a number from 1 to 20$/m);
});

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
