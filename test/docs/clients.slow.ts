import { expect, test } from 'vitest';
import { sign, UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { execute } from '../setup/execute.ts';
import { openReceipts, snippet } from './snippets.ts';
import { CASES, openWholeClient } from './wholeClients.ts';

const client = await openWholeClient('ailog_upload.ts', [process.execPath]);

test.concurrent.for(Object.entries(CASES))('the client in TypeScript and %s', ([, one]) => client.expectCase(one));

test('the client in TypeScript keeps what it sent, even if it is killed', () => client.expectKeptWhenKilled());

test.concurrent.each([
  ['sends nothing over plain HTTP to another host', client.expectNoPlainHttp],
  ['says that a log is not stored if no server was there', client.expectNotStoredWithoutServer],
  ['sends nothing without a record', client.expectNothingSentWithoutRecord],
])('the client in TypeScript %s', (_name, expectIt) => expectIt());

test('the client in TypeScript names what is missing', () => client.expectMistakesNamed());

test('the example of a signature is right', () => {
  const vector = Object.fromEntries(
    Array.from(snippet('text vector').matchAll(/^(\S+) +(.+)$/gm), ([, name = '', value = '']) => [name, value]),
  );
  const { secret = '', timestamp = '', body = '', signed } = vector;
  expect(signed).toBe(`${timestamp}POST${UPLOAD_PATH}${body}`);
  expect(vector['ACCESS-SIGN']).toBe(sign(secret, { timestamp, body: Buffer.from(body) }));
});

test('the check of a receipt in Python accepts and rejects', async ({ skip }) => {
  const { exitCode } = await execute(['python3', '-c', 'import cryptography']);
  if (exitCode !== 0) skip('this machine has no python3 with the package cryptography');
  const expectCheck = await openReceipts();
  await expectCheck('receipt.py', ['python3']);
});
