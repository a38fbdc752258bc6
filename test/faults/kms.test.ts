import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { issueKey } from '../../cli/store/tables/issueKey.ts';
import { openFixture, type Team } from '../setup/fixture.ts';
import { overHttp } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

const KEY_ARN = 'arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-0000-0000-000000000000';

/** The error of the KMS stand-in: HTTP status and error type, or undefined for none. */
let failure: [status: number, type: string] | 'no response' | undefined;
let decryptions = 0;

/** Sealed credentials by ciphertext: their encryption context and plaintext. */
const sealed = new Map<string, { context: object; plaintext: string }>();

/** A KMS stand-in that implements Decrypt as in the API reference of AWS KMS. */
const kms = createServer(async (incoming, response) => {
  const body = JSON.parse(Buffer.concat(await Array.fromAsync(incoming)).toString());
  const send = (status: number, answer: object) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  // The function reads the receipt key too. Only credentials are the subject here.
  if ('accessKey' in (body.EncryptionContext ?? {})) decryptions += 1;
  if (failure === 'no response') return;
  if (failure) return send(failure[0], { __type: failure[1], message: 'Sent by the test' });
  const found = sealed.get(body.CiphertextBlob);
  const matches =
    incoming.headers['x-amz-target'] === 'TrentService.Decrypt' &&
    body.KeyId === KEY_ARN &&
    JSON.stringify(found?.context) === JSON.stringify(body.EncryptionContext);
  if (!found || !matches) return send(400, { __type: 'InvalidCiphertextException' });
  const Plaintext = Buffer.from(found.plaintext).toString('base64');
  return send(200, { KeyId: KEY_ARN, Plaintext, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' });
});

const fixture = await openFixture();
await new Promise<void>((resolve) => kms.listen(0, '127.0.0.1', resolve));
const environment = {
  ...fixture.environment,
  CREDENTIALS_KEY_FILE: '',
  CREDENTIALS_KEY_ARN: KEY_ARN,
  RECEIPT_SEALING_KEY_ARN: KEY_ARN,
  AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${(kms.address() as AddressInfo).port}`,
};
const transport = await overHttp({ ...fixture, environment });
afterAll(async () => {
  await transport.close();
  kms.close().closeAllConnections();
});
beforeEach(() => {
  failure = undefined;
  decryptions = 0;
});

/** A team whose credentials only the KMS stand-in can decrypt. */
async function newTeam(write = JSON.stringify): Promise<Team> {
  const { uid } = await fixture.team();
  const { apiKey, credentials } = await issueKey(uid, {
    at: Date.now(),
    seal: async (secrets, { accessKey, uid }) => {
      const ciphertext = randomBytes(64);
      sealed.set(ciphertext.toString('base64'), { context: { accessKey, uid }, plaintext: write(secrets) });
      return ciphertext;
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
  expect(decryptions).toBe(1);
});

test.each([
  ['is throttled', [400, 'ThrottlingException']],
  ['has an internal error', [500, 'KMSInternalException']],
  ['reports that the key is unavailable', [500, 'KeyUnavailableException']],
  ['times out on a dependency', [503, 'DependencyTimeoutException']],
  ['does not respond', 'no response'],
] as const)('a KMS that %s causes a 503, and the upload is accepted after it recovers', async (_name, how) => {
  const team = await newTeam();
  const upload = signedUpload(team);
  failure = how as typeof failure;
  const rejected = await transport.send(upload);
  expect(rejected).toMatchObject({ status: 503, json: { code: '40015', msg: 'System busy, retry', data: null } });
  expect(rejected.headers['retry-after']).toBe('1');
  expect(decryptions).toBe(3);
  expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(0);

  failure = undefined;
  expect((await transport.send(upload)).status).toBe(200);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test.each([
  ['was disabled', [400, 'DisabledException']],
  ['the function may not use', [400, 'AccessDeniedException']],
  ['is gone', [400, 'NotFoundException']],
] as const)('a KMS key that %s causes an immediate 500 without details', async (_name, how) => {
  failure = how as unknown as typeof failure;
  const { status, json } = await transport.send(signedUpload(await newTeam()));
  expect({ status, ...json }).toMatchObject({ status: 500, code: '40015', msg: 'System error', data: null });
  expect(decryptions).toBe(1);
});

test('credentials that were sealed for another access key cause a 500', async () => {
  const [mine, others] = [await newTeam(), await newTeam()];
  const theirs = await fixture.apiKeys.get(others.accessKey, AbortSignal.timeout(5000));
  const ours = await fixture.apiKeys.get(mine.accessKey, AbortSignal.timeout(5000));
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
