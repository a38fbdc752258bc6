import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { nativeNumber, toEntry, unlogged } from '../../../../cli/store/targets/openedTarget.ts';

test.each([
  ['1.5', 1.5],
  ['-3', -3],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['-9007199254740993', -9_007_199_254_740_993n],
  ['1E+30', 1e30],
  ['9007199254740993.5', 9_007_199_254_740_994],
])('the number %s of DynamoDB is %s', (text, value) => {
  expect(nativeNumber(text)).toBe(value);
});

test('an order id that is a whole number is a bigint, and any other stays as it is', () => {
  expect(toEntry({ orderId: 7 }).orderId).toBe(7n);
  expect(toEntry({ orderId: 1.5 }).orderId).toBe(1.5);
  expect(toEntry({})).not.toHaveProperty('orderId');
});

test('the client of the tables looks for credentials as any other does, and says if there are none', async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
  try {
    const client = new DynamoDBClient({ region: 'eu-west-1', ...unlogged });
    await expect(client.send(new ListTablesCommand({}))).rejects.toThrow('Could not load credentials');
  } finally {
    vi.unstubAllEnvs();
  }
});
