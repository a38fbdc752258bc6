import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeEach, expect, test } from 'vitest';
import { issueKey } from '../../cli/store/tables/issueKey.ts';
import { localIdentity } from '../../cli/store/targets/data.ts';
import { overHttp, signedUpload, startAws, startFaultProxy, type Team, world } from '../setup/world.ts';

const KEY_ARN = 'arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-0000-0000-000000000000';

const fixture = await world();
const aws = await startAws('AiLogUpload-test', fixture.names);
const kms = await startFaultProxy(aws.environment.AWS_ENDPOINT_URL_KMS);
const client = new KMSClient({ ...localIdentity, endpoint: aws.environment.AWS_ENDPOINT_URL_KMS });
const environment = {
  ...fixture.environment,
  CREDENTIALS_KEY_FILE: '',
  CREDENTIALS_KEY_ARN: KEY_ARN,
  RECEIPT_SEALING_KEY_ARN: KEY_ARN,
  AWS_ENDPOINT_URL_KMS: kms.url,
};
const transport = await overHttp({ ...fixture, environment });
beforeEach(() => kms.plan());

/** Makes every call fail with an HTTP status and a type of error, until the next plan. */
const fail = (status: number, type: string) =>
  kms.plan(...Array(30).fill({ status, body: JSON.stringify({ __type: type, message: 'Sent by the test' }) }));
/** The calls that decrypt credentials. The function reads the receipt key too. */
const decryptions = () => kms.seen().filter(({ body }) => Buffer.from(body, 'hex').includes('accessKey')).length;

/** A team whose credentials only KMS can decrypt. */
async function newTeam(write = JSON.stringify): Promise<Team> {
  const { uid } = await fixture.team();
  const { apiKey, credentials } = await issueKey(uid, {
    at: Date.now(),
    seal: async (secrets, { accessKey, uid }) => {
      const sealed = { KeyId: KEY_ARN, Plaintext: Buffer.from(write(secrets)), EncryptionContext: { accessKey, uid } };
      return (await client.send(new EncryptCommand(sealed))).CiphertextBlob as Uint8Array;
    },
  });
  await fixture.apiKeys.put(apiKey);
  return { uid, accessKey: apiKey.accessKey, ...credentials };
}

test('credentials are decrypted once and kept in memory', async () => {
  const team = await newTeam();
  for (const age of [1, 0]) {
    const { status } = await transport.send(signedUpload(team, { timestamp: () => Date.now() - age }));
    expect(status).toBe(200);
  }
  expect(decryptions()).toBe(1);
});

test.each([
  ['is throttled', () => fail(400, 'ThrottlingException')],
  ['has an internal error', () => fail(500, 'KMSInternalException')],
  ['reports that the key is unavailable', () => fail(500, 'KeyUnavailableException')],
  ['times out on a dependency', () => fail(503, 'DependencyTimeoutException')],
  ['does not respond', () => kms.plan(...Array(30).fill('no response'))],
])('a KMS that %s causes a 503, and the upload is accepted after it recovers', async (_name, begin) => {
  const team = await newTeam();
  const upload = signedUpload(team);
  begin();
  const rejected = await transport.send(upload);
  expect(rejected).toMatchObject({ status: 503, json: { code: '40015', msg: 'System busy, retry', data: null } });
  expect(rejected.headers['retry-after']).toBe('1');
  expect(decryptions()).toBe(3);
  expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(0);

  kms.plan();
  expect((await transport.send(upload)).status).toBe(200);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test.each([
  ['was disabled', 'DisabledException'],
  ['the function may not use', 'AccessDeniedException'],
  ['is gone', 'NotFoundException'],
])('a KMS key that %s causes an immediate 500 without details', async (_name, type) => {
  fail(400, type);
  const { status, json } = await transport.send(signedUpload(await newTeam()));
  expect({ status, ...json }).toMatchObject({ status: 500, code: '40015', msg: 'System error', data: null });
  expect(decryptions()).toBe(1);
});

test('credentials that were sealed for another access key cause a 500', async () => {
  const [mine, others] = [await newTeam(), await newTeam()];
  const theirs = await fixture.apiKeys.get(others.accessKey);
  const ours = await fixture.apiKeys.get(mine.accessKey);
  if (!ours || !theirs) throw new Error('no keys');
  await fixture.apiKeys.put({ ...ours, credentials: theirs.credentials });
  const { status, json } = await transport.send(signedUpload({ ...others, uid: mine.uid, accessKey: mine.accessKey }));
  expect({ status, ...json }).toMatchObject({ status: 500, msg: 'System error' });
  expect(await fixture.entriesOf(mine.uid)).toEqual([]);
});

test.each([
  ['the bare secret', (secret: string) => secret],
  ['JSON cut short', (secret: string) => `{"secret":"${secret}`],
  ['an object without a passphrase', (secret: string) => JSON.stringify({ secret })],
  ['a number for a secret', () => '{"secret":123456789,"passphrase":"p"}'],
  ['null', () => 'null'],
])('credentials that contain %s cause a 500, and no log line shows them', async (_name, write) => {
  const team = await newTeam(({ secret }) => write(secret));
  const { status, json } = await transport.send(signedUpload(team));
  expect({ status, ...json }).toMatchObject({ status: 500, msg: 'System error' });
  await expect.poll(transport.output).toContain('Sealed credentials must be JSON');
  expect(transport.output()).not.toContain(team.secret.slice(0, 8));
  expect(transport.output()).not.toContain('123456789,');
});
