/**
 * The floor of `npm run bench audit`: reads a table or the files of a log, and does nothing with them. `node
 * test/bench/bareReads.ts table ENDPOINT TABLE` or `node test/bench/bareReads.ts files FOLDER`
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localIdentity } from '../../cli/store/targets/data.ts';

/** As many entries as a page of the command line has. */
const PAGE = 1000;

/** Reads a table page by page, without the SDK. */
async function readTable(endpoint: string, TableName: string): Promise<void> {
  const { accessKeyId } = localIdentity.credentials;
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': 'DynamoDB_20120810.Scan',
    'X-Amz-Date': '20251114T000000Z',
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20251114/local/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
  };
  let ExclusiveStartKey: unknown;
  do {
    const body = JSON.stringify({ TableName, Limit: PAGE, ConsistentRead: true, ExclusiveStartKey });
    const response = await fetch(endpoint, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
    ({ LastEvaluatedKey: ExclusiveStartKey } = (await response.json()) as { LastEvaluatedKey?: unknown });
  } while (ExclusiveStartKey);
}

/** Reads the files of a folder, one folder after the other. */
async function readFiles(folder: string): Promise<void> {
  for (const file of await readdir(folder, { withFileTypes: true })) {
    if (file.isDirectory()) await readFiles(join(folder, file.name));
    else await readFile(join(folder, file.name));
  }
}

const [what, ...where] = process.argv.slice(2) as [string, string, string];
await (what === 'table' ? readTable(...(where as [string, string])) : readFiles(where[0]));
