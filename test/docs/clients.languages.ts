import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../setup/execute.ts';
import { openClients, openReceipts, snippet } from './snippets.ts';

/** The languages of the page: the fence of its code block, the file name, and the commands that run and detect it. */
const languages = [
  { language: 'Python', fence: 'python', file: 'upload.py', command: ['python3'], detect: ['python3', '--version'] },
  { language: 'Go', fence: 'go', file: 'upload.go', command: ['go', 'run'], detect: ['go', 'version'] },
  {
    language: 'Java',
    fence: 'java',
    file: 'Upload.java',
    command: ['java', '-Dfile.encoding=UTF-8'],
    detect: ['java', '--version'],
  },
  {
    language: 'PowerShell',
    fence: 'powershell',
    file: 'upload.ps1',
    command: ['pwsh', '-File'],
    detect: ['pwsh', '-Version'],
  },
  { language: 'C#', fence: 'csharp', file: 'upload.cs', command: ['dotnet', 'run'], detect: ['dotnet', '--version'] },
];

let clients: Awaited<ReturnType<typeof openClients>>;
beforeAll(async () => {
  clients = await openClients();
});
afterAll(() => clients.close());

test.for(languages)(
  'the $language client of docs/clients.md uploads',
  async ({ fence, file, command, detect }, { skip }) => {
    const { exitCode } = await execute(detect);
    if (exitCode !== 0) skip(`this machine has no ${detect[0]}`);
    await clients.expectUpload(snippet(fence), file, command);
  },
);

test("Python's requests with json.dumps: the stored entry contains the exact bytes that it sent", async ({ skip }) => {
  const { exitCode } = await execute(['python3', '-c', 'import requests']);
  if (exitCode !== 0) skip('this machine has no python3 with the package requests');
  const [head = ''] = snippet('python').split(/^try:$/m);
  const code = `${head}sys.stderr.write(body.hex())\n${snippet('python requests')}`;
  const { body, ran } = await clients.expectUpload(code, 'upload.py', ['python3']);
  expect(body.toString('hex')).toBe(ran.stderr);
  expect(body.toString()).toMatch(/^\{"orderId": 590480926522704171, .*\\u770b\\u7a7a/);
});

test.for([
  { language: 'Go', fence: 'go receipt', file: 'receipt.go', command: ['go', 'run'], detect: ['go', 'version'] },
  { language: 'Java', fence: 'java receipt', file: 'Receipt.java', command: ['java'], detect: ['java', '--version'] },
])('the $language check of a receipt in docs/clients.md accepts and rejects', async (program, { skip }) => {
  const { exitCode } = await execute(program.detect);
  if (exitCode !== 0) skip(`this machine has no ${program.detect[0]}`);
  const expectCheck = await openReceipts();
  await expectCheck(snippet(program.fence), program.file, program.command);
});
