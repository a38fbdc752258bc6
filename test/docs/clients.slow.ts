import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../setup/execute.ts';
import { openClients, openReceipts, snippet } from './snippets.ts';

let clients: Awaited<ReturnType<typeof openClients>>;
beforeAll(async () => {
  clients = await openClients();
});
afterAll(() => clients.close());

test('the TypeScript client of docs/clients.md uploads', async () => {
  await clients.expectUpload(snippet('ts'), 'upload.ts', [process.execPath]);
});

test('the bash client of docs/clients.md uploads', async ({ skip }) => {
  for (const tool of ['bash', 'openssl', 'curl']) {
    const { exitCode } = await execute([tool, tool === 'openssl' ? 'version' : '--version']);
    if (exitCode !== 0) skip(`this machine has no ${tool}`);
  }
  await clients.expectUpload(snippet('bash'), 'upload.sh', ['bash']);
});

test('the page has a code block for each other language', () => {
  for (const fence of ['python', 'python requests', 'go', 'java', 'csharp', 'powershell']) {
    expect(snippet(fence)).toContain(fence === 'python requests' ? 'data=body' : 'uploadAiLog');
  }
});

test('every program removes slashes at the end of the base URL', () => {
  for (const fence of ['ts', 'python', 'go', 'java', 'csharp', 'bash', 'powershell'])
    expect(snippet(fence)).toMatch(/replace\(\/|rstrip|TrimRight|replaceAll\("\/|TrimEnd|%%\+\(\/\)/);
});

test('the TypeScript check of a receipt in docs/clients.md accepts and rejects', async () => {
  const expectCheck = await openReceipts();
  await expectCheck(snippet('ts receipt'), 'receipt.ts', [process.execPath]);
});

test('the bash check of a receipt in docs/clients.md accepts and rejects', async ({ skip }) => {
  for (const tool of ['bash', 'openssl', 'xxd', 'awk']) {
    const { exitCode } = await execute(['bash', '-c', `command -v ${tool}`]);
    if (exitCode !== 0) skip(`this machine has no ${tool}`);
  }
  const { stdout } = await execute(['openssl', 'version']);
  if (!/^OpenSSL [3-9]/.test(stdout)) skip(`${stdout.trim()} cannot verify Ed25519`);
  const expectCheck = await openReceipts();
  await expectCheck(snippet('bash receipt'), 'receipt.sh', ['bash']);
});

test('the Python check of a receipt in docs/clients.md accepts and rejects', async ({ skip }) => {
  const { exitCode } = await execute(['python3', '-c', 'import cryptography']);
  if (exitCode !== 0) skip('this machine has no python3 with the package cryptography');
  const expectCheck = await openReceipts();
  await expectCheck(snippet('python receipt'), 'receipt.py', ['python3']);
});

test('the page has a check of a receipt for each other language', () => {
  for (const fence of ['go receipt', 'java receipt', 'csharp receipt'])
    expect(snippet(fence)).toContain('AILOG_RECEIPT_KEY');
});
