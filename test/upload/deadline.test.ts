import { KMSClient } from '@aws-sdk/client-kms';
import { expect, test } from 'vitest';
import { entriesTable } from '../../functions/ailog/entries.ts';
import type { Entry } from '../../functions/ailog/entry.ts';
import { kmsDecrypt } from '../../functions/auth/credentialStore.ts';
import { readReceiptKey } from '../../functions/receipts/signingKey.ts';
import { receiptKeyTable } from '../../functions/tlog/receiptKeyTable.ts';
import { callerRecordsReader } from '../../functions/upload/callerRecords.ts';
import { weightsTable } from '../../functions/weights/weights.ts';
import { UNREACHABLE, world } from '../setup/world.ts';

const { db, names, apiKeys, allowlist } = await world();
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const kms = new KMSClient({ region: 'local', endpoint: UNREACHABLE, credentials });
const window = { start: 0, end: 1000 };
const entry = { uid: '1', entryId: '1' } as Entry;

// biome-ignore format: one case a line
test.each<[string, (deadline: AbortSignal) => Promise<unknown>]>([
  ['the key', (deadline) => apiKeys.get('ailog_1', deadline)],
  ['key and allowlist entry', (deadline) => callerRecordsReader(db, names)('ailog_1', '1', deadline)],
  ['the allowlist entry', (deadline) => allowlist.get('1', deadline)],
  ['the weight', (deadline) => weightsTable(db, names.weights).consume('s', window, { weight: 1, quota: 1 }, deadline)],
  ['the entry', (deadline) => entriesTable(db, names.aiLogs).put(entry, deadline)],
  ['the receipt key', (deadline) => readReceiptKey({ table: receiptKeyTable(db, names.receiptKeys, 'o'), origin: 'o', number: 1, decrypt })(undefined, deadline)],
  ['what KMS has sealed', (deadline) => kmsDecrypt(kms, 'key')(Buffer.alloc(1), { accessKey: 'k', uid: '1' }, deadline)],
])('after the deadline of a request, the call for %s ends', async (_what, call) => {
  await expect(call(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

const decrypt = async () => new Uint8Array();
