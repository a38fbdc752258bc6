import { expect, test } from 'vitest';
import { readConfig } from '../../functions/upload/config.ts';

const complete = {
  ALLOWLIST_TABLE: 'a',
  API_KEYS_TABLE: 'k',
  WEIGHTS_TABLE: 'w',
  AI_LOGS_TABLE: 'l',
  RECEIPT_KEYS_TABLE: 'r',
  UID_QUOTA: '1000',
  IP_QUOTA: '500',
  WINDOW_SECONDS: '10',
  REQUIRE_LOCALE: 'true',
  CREDENTIALS_KEY_ARN: 'arn:aws:kms:eu-west-1:111122223333:key/1',
  RECEIPT_SEALING_KEY_ARN: 'arn:aws:kms:eu-west-1:111122223333:key/2',
  TLOG_ORIGIN: 'logs.example.com/ailog',
  RECEIPT_KEY: '2',
  SERVICE_NAME: 'AiLogUpload-prod',
};

test('a complete environment', () => {
  expect(readConfig(complete)).toEqual({
    tables: { allowlist: 'a', apiKeys: 'k', weights: 'w', aiLogs: 'l', receiptKeys: 'r' },
    uidQuota: 1000,
    ipQuota: 500,
    windowSeconds: 10,
    requireLocale: true,
    credentialsKey: { arn: complete.CREDENTIALS_KEY_ARN },
    receiptKey: 2,
    receiptSealingKey: { arn: complete.RECEIPT_SEALING_KEY_ARN },
    origin: 'logs.example.com/ailog',
    serviceName: 'AiLogUpload-prod',
    logLevel: 'INFO',
  });
});

test('a key file serves for credentials and receipts', () => {
  const { CREDENTIALS_KEY_ARN: _, RECEIPT_SEALING_KEY_ARN: __, ...others } = complete;
  expect(readConfig({ ...others, CREDENTIALS_KEY_FILE: 'a.key' })).toMatchObject({
    credentialsKey: { file: 'a.key' },
    receiptSealingKey: { file: 'a.key' },
  });
});

test.each([
  [{ REQUIRE_LOCALE: 'false' }, { requireLocale: false }],
  [{ ENTRY_RETENTION_DAYS: '365' }, { entryRetentionDays: 365 }],
])('%j is read as %j', (given, expected) => {
  expect(readConfig({ ...complete, ...given })).toMatchObject(expected);
});

test('all that is missing is named at once', () => {
  expect(() => readConfig({})).toThrow(
    'Environment variables missing or wrong: ALLOWLIST_TABLE (a table name), API_KEYS_TABLE (a table name), ' +
      'WEIGHTS_TABLE (a table name), AI_LOGS_TABLE (a table name), RECEIPT_KEYS_TABLE (a table name), UID_QUOTA (a positive integer), ' +
      'IP_QUOTA (a positive integer), WINDOW_SECONDS (a positive integer), REQUIRE_LOCALE (true or false), ' +
      'TLOG_ORIGIN (a name without spaces and "+"), RECEIPT_KEY (a positive integer), SERVICE_NAME (the name of the stack), ' +
      'exactly one of CREDENTIALS_KEY_ARN (a KMS key) and CREDENTIALS_KEY_FILE (a path)',
  );
});

// biome-ignore format: several a line
test.each([
  ['UID_QUOTA', '0'], ['UID_QUOTA', '-1'], ['IP_QUOTA', '1.5'], ['WINDOW_SECONDS', 'ten'],
  ['REQUIRE_LOCALE', 'yes'], ['REQUIRE_LOCALE', 'toString'], ['TLOG_ORIGIN', 'a log'], ['TLOG_ORIGIN', 'a+b'],
  ['RECEIPT_KEYS_TABLE', ''], ['RECEIPT_KEY', '0'], ['SERVICE_NAME', ''], ['LOG_LEVEL', 'DEBUG'], ['RECEIPT_SEALING_KEY_ARN', ''],
  ['ENTRY_RETENTION_DAYS', '0'], ['ENTRY_RETENTION_DAYS', ''], ['CREDENTIALS_KEY_FILE', 'a second key'],
])('%s=%s is rejected', (name, value) => {
  expect(() => readConfig({ ...complete, [name]: value })).toThrow(name);
});
