/** The programs of docs/clients in other languages than TypeScript, against the real service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openReceipts } from '../docs/snippets.ts';
import { CASES, openWholeClient } from '../docs/wholeClients.ts';
import { aiLog, execute, jsonOf, overHttp, temporaryFolder, world } from '../setup/world.ts';
import { requireProgram } from './requireProgram.ts';

const CLIENTS = fileURLToPath(new URL('../../docs/clients', import.meta.url));

/** Unlike `go run`, a signal ends the client itself. */
const GO = ['sh', '-c', 'go build -o client "$1" && shift && exec ./client "$@"', 'sh'];

describe.each([
  { language: 'Python', file: 'ailog_upload.py', command: ['python3'], detect: ['python3', '--version'] },
  { language: 'Go', file: 'ailog_upload.go', command: GO, detect: ['go', 'version'] },
])('the client in $language', ({ file, command, detect }) => {
  let client: Awaited<ReturnType<typeof openWholeClient>>;
  beforeAll(async () => {
    client = await openWholeClient(file, command);
  });
  beforeEach(({ skip }) => requireProgram(detect, skip));

  test.concurrent.for(Object.entries(CASES))('%s', ([, one]) => client.expectCase(one));
  test('keeps what it sent, even if it is killed', () => client.expectKeptWhenKilled());
  test('names what is missing', () => client.expectMistakesNamed());
  test('sends nothing over plain HTTP to another host', () => client.expectNoPlainHttp());
  test('says that a log is not stored if no server was there', () => client.expectNotStoredWithoutServer());
  test('sends nothing without a record', () => client.expectNothingSentWithoutRecord());
});

test('the check of a receipt in Go accepts and rejects', { timeout: 300_000 }, async ({ skip }) => {
  await requireProgram(['go', 'version'], skip);
  const expectCheck = await openReceipts();
  await expectCheck('receipt.go', ['go', 'run']);
});

test('the pre-request script for Postman signs what newman sends, with its variables', { timeout: 300_000 }, async ({
  skip,
}) => {
  await requireProgram(['npm', '--version'], skip);
  const cwd = temporaryFolder();
  const installed = await execute(['npm', 'install', '--no-save', 'newman@6.2.2'], { cwd });
  expect(installed.exitCode, installed.stderr).toBe(0);
  const exec = readFileSync(join(CLIENTS, 'postman.js'), 'utf8').trimEnd().split('\n');
  expect(exec.length).toBeLessThanOrEqual(15);
  const raw = jsonOf({ ...aiLog, explanation: '看空 📉 {{note}} {{$timestamp}}' });
  const request = { method: 'POST', url: '{{AILOG_URL}}/capi/v2/order/uploadAiLog', body: { mode: 'raw', raw } };
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
  const event = [{ listen: 'prerequest', script: { exec } }];
  const collection = { info: { name: 'Upload', schema }, item: [{ name: 'one', request, event }] };
  writeFileSync(join(cwd, 'collection.json'), JSON.stringify(collection));

  const fixture = await world();
  const { url } = await overHttp(fixture);
  const team = await fixture.team();
  const key = { AILOG_ACCESS_KEY: team.accessKey, AILOG_SECRET: team.secret, AILOG_PASSPHRASE: team.passphrase };
  const variables = Object.entries({ ...key, AILOG_URL: url, note: '–' }).flatMap(([name, value]) => [
    '--env-var',
    `${name}=${value}`,
  ]);
  const ran = await execute(['npx', 'newman', 'run', 'collection.json', ...variables], { cwd });
  expect(ran.stdout).toContain('200 OK');
  const [entry] = await fixture.entriesOf(team.uid);
  expect(zstdDecompressSync(entry?.body as Uint8Array).toString()).toMatch(/看空 📉 – \d{10}"/);
});

test('the client in Go is formatted by gofmt', async ({ skip }) => {
  await requireProgram(['go', 'version'], skip);
  expect(await execute(['gofmt', '-l', CLIENTS])).toMatchObject({ exitCode: 0, stdout: '' });
});
