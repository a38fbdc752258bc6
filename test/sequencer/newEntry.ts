import { randomBytes } from 'node:crypto';
import type { Entry } from '../../functions/ailog/entry.ts';

let entries = 0;

/** An entry that was received at a time, as the upload function stores it. */
export function newEntry(receivedAt: number): Entry {
  entries += 1;
  const timestamp = String(receivedAt);
  const hash = randomBytes(16).toString('hex');
  return {
    uid: String(entries % 97),
    entryId: `${timestamp}-${hash}`,
    receivedAt,
    stage: 's',
    model: 'm',
    body: new Uint8Array(1),
    bodySha256: hash.repeat(2),
    bodyBytes: 1,
    accessKey: 'ailog_k',
    timestamp,
    signature: hash,
    locale: 'en-US',
    sourceIp: '192.0.2.1',
  };
}
