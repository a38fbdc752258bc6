/** The programs of docs/clients.md and docs/clients in other languages than TypeScript, against the real service. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openReceipts, snippet } from '../docs/snippets.ts';
import { CASES, openWholeClient } from '../docs/wholeClients.ts';
import { execute } from '../setup/execute.ts';
import { requireProgram } from './requireProgram.ts';

/** Unlike `go run`, a signal ends the client itself. */
const GO = ['sh', '-c', 'go build -o client "$1" && exec ./client "$2"', 'sh'];

describe.each([
  { language: 'Python', file: 'ailog_upload.py', command: ['python3'], detect: ['python3', '--version'] },
  { language: 'Go', file: 'ailog_upload.go', command: GO, detect: ['go', 'version'] },
])('the client in $language', ({ file, command, detect }) => {
  let client: Awaited<ReturnType<typeof openWholeClient>>;
  beforeAll(async () => {
    client = await openWholeClient(file, command);
  });
  afterAll(() => client.close());
  beforeEach(({ skip }) => requireProgram(detect, skip));

  test.concurrent.for(Object.entries(CASES))('%s', ([, one]) => client.expectCase(one));
  test('keeps what it sent, even if it is killed', () => client.expectKeptWhenKilled());
  test('names what is missing', () => client.expectMistakesNamed());
});

test.for([
  { language: 'Go', fence: 'go receipt', file: 'receipt.go', command: ['go', 'run'], detect: ['go', 'version'] },
  { language: 'Java', fence: 'java receipt', file: 'Receipt.java', command: ['java'], detect: ['java', '--version'] },
])('the $language check of a receipt in docs/clients.md accepts and rejects', async (program, { skip }) => {
  await requireProgram(program.detect, skip);
  const expectCheck = await openReceipts();
  await expectCheck(snippet(program.fence), program.file, program.command);
});

test('the client in Go is formatted by gofmt', async ({ skip }) => {
  await requireProgram(['go', 'version'], skip);
  const folder = fileURLToPath(new URL('../../docs/clients', import.meta.url));
  expect(await execute(['gofmt', '-l', folder])).toMatchObject({ exitCode: 0, stdout: '' });
});
